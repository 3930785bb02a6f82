# SPDX-License-Identifier: GPL-2.0-only
"""Settings of Sphinx: sphinx-build -W -b html doc .build/doc

Takes Debian's packages python3-sphinx and python3-myst-parser (for the pages in Markdown). The page
of attributes and trace sources is written by the classes themselves, if the unit tests are built."""

import pathlib
import subprocess

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


def write_attributes():
    """Have the classes write attributes-and-traces.rst, or say how."""
    doc = pathlib.Path(__file__).parent
    page = doc / "attributes-and-traces.rst"
    program = doc.parent / ".build" / "release" / "test" / "photonic-rails-unit-tests"
    if program.exists():
        subprocess.run([program, "--gtest_filter=Documentation.*"], stdout=subprocess.DEVNULL, check=True)
    elif not page.exists():
        title = "Attributes and Trace Sources"
        page.write_text(f"{title}\n{'-' * len(title)}\n\nThe unit tests write this page when they are built; "
                        "``--PrintAttributes=ns3::CLASS`` lists the attributes of a class.\n")


def setup(app):
    """Called by Sphinx."""
    write_attributes()
    app.add_html_math_renderer("mathml", (visit_formula, None), (visit_formula, None))
