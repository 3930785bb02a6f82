# SPDX-License-Identifier: GPL-2.0-only
"""Settings of Sphinx: sphinx-build -W -b html doc .build/doc

Takes Debian's packages python3-sphinx and python3-myst-parser (for the pages in Markdown)."""

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml

project = "photonic-rails"
copyright = "the authors of photonic-rails"  # pylint: disable=redefined-builtin
release = "1.0"

extensions = ["myst_parser"]
myst_heading_anchors = 3
nitpicky = True
highlight_language = "none"

html_theme = "alabaster"
html_math_renderer = "mathml"
html_theme_options = {
    "description": "Training on rails of optical circuit switches, packet by packet, in ns-3",
    "fixed_sidebar": True,
    "page_width": "1220px",
    "body_max_width": "950px",
    "sidebar_width": "240px",
    "sidebar_collapse": True,
    "font_family": "system-ui, 'DejaVu Sans', sans-serif",
    "head_font_family": "system-ui, 'DejaVu Sans', sans-serif",
    "font_size": "15px",
    "code_font_size": "0.82em",
    "pre_bg": "#f4f5f7",
}
pygments_style = "default"
html_sidebars = {"**": ["about.html", "searchbox.html", "navigation.html"]}
html_static_path = ["static"]
html_copy_source = False
html_show_sphinx = False


def visit_formula(writer, node):
    """Write a formula as MathML, which browsers draw by themselves: pages need no network."""
    is_inline = isinstance(node, nodes.math)
    formula = tex2mathml(node.astext(), is_inline)
    writer.body.append(formula if is_inline else f'<div class="math">{formula}</div>')
    raise nodes.SkipNode


def setup(app):
    """Called by Sphinx."""
    app.add_html_math_renderer("mathml", (visit_formula, None), (visit_formula, None))
