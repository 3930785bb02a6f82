// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/field-archive.h"

#include <gtest/gtest.h>
#include <limits>
#include <tuple>

namespace ns3
{
namespace
{

/// Some fields of every sort.
struct Fields
{
    uint8_t byte{0};
    uint16_t two{0};
    uint32_t four{0};
    uint64_t eight{0};
    bool flag{false};
    Time duration;
    std::string text;
    std::vector<uint32_t> numbers;
    CircuitSet drop;
    CircuitSet make;
    std::vector<uint16_t> elements;
};

template <typename Archive, typename T>
void
Visit(Archive& archive, T& fields)
{
    archive.Number(fields.byte);
    archive.Number(fields.two);
    archive.Number(fields.four);
    archive.Number(fields.eight);
    archive.Boolean(fields.flag);
    archive.Duration(fields.duration);
    archive.Text(fields.text, 5);
    archive.Numbers(fields.numbers, 3);
    archive.Circuits(fields.drop, fields.make, 2);
    archive.Each(fields.elements, [&archive](auto& element) { archive.Number(element); });
}

Fields
MakeFields()
{
    Fields fields;
    fields.byte = 0x12;
    fields.two = 0x3456;
    fields.four = 0x789abcde;
    fields.eight = 0xf0fedcba98765432;
    fields.flag = true;
    fields.duration = MicroSeconds(3);
    fields.text = "light";
    fields.numbers = {7, 8, 9};
    fields.drop = {{1, 2}};
    fields.make = {{3, 4}, {5, 6}};
    fields.elements = {10, 11};
    return fields;
}

Buffer
WriteFields(const Fields& fields)
{
    FieldWriter counted;
    Visit(counted, fields);
    Buffer buffer;
    buffer.AddAtStart(counted.GetSize());
    FieldWriter written(buffer.Begin());
    Visit(written, fields);
    return buffer;
}

TEST(FieldArchive, WhatIsWrittenIsReadAndHasTheSizeThatWasCounted)
{
    const Fields fields = MakeFields();
    const Buffer buffer = WriteFields(fields);
    EXPECT_EQ(buffer.GetSize(), 1u + 2 + 4 + 8 + 1 + 8 + 9 + 16 + 32 + 8);
    FieldReader reader(buffer.Begin(), buffer.GetSize());
    Fields copy;
    Visit(reader, copy);
    EXPECT_TRUE(reader.IsDone());
    EXPECT_EQ(copy.byte, fields.byte);
    EXPECT_EQ(copy.two, fields.two);
    EXPECT_EQ(copy.four, fields.four);
    EXPECT_EQ(copy.eight, fields.eight);
    EXPECT_EQ(copy.flag, fields.flag);
    EXPECT_EQ(copy.duration, fields.duration);
    EXPECT_EQ(copy.text, fields.text);
    EXPECT_EQ(copy.numbers, fields.numbers);
    EXPECT_EQ(copy.drop, fields.drop);
    EXPECT_EQ(copy.make, fields.make);
    EXPECT_EQ(copy.elements, fields.elements);
    uint8_t bytes[3];
    buffer.CopyData(bytes, 3);
    EXPECT_EQ(bytes[1], 0x34) << "the most significant byte first";
}

TEST(FieldArchive, NoSizeButTheRightOneIsDone)
{
    const Buffer buffer = WriteFields(MakeFields());
    for (uint32_t size = 0; size <= buffer.GetSize(); ++size)
    {
        FieldReader reader(buffer.Begin(), size);
        Fields copy;
        Visit(reader, copy);
        EXPECT_EQ(reader.IsDone(), size == buffer.GetSize()) << size;
    }
    Fields one;
    FieldReader reader(buffer.Begin(), buffer.GetSize());
    reader.Number(one.byte);
    EXPECT_TRUE(reader.IsGood());
    EXPECT_FALSE(reader.IsDone()) << "something follows";
}

TEST(FieldArchive, TextThatIsTooLongIsCutWhenItIsWritten)
{
    Fields fields = MakeFields();
    fields.text = "lights";
    const Buffer buffer = WriteFields(fields);
    FieldReader reader(buffer.Begin(), buffer.GetSize());
    Fields copy;
    Visit(reader, copy);
    EXPECT_TRUE(reader.IsDone());
    EXPECT_EQ(copy.text, "light");
}

/// @return true if fields that a writer does not mind are read
bool
IsRead(const Fields& fields)
{
    const Buffer buffer = WriteFields(fields);
    FieldReader reader(buffer.Begin(), buffer.GetSize());
    Fields copy;
    Visit(reader, copy);
    return reader.IsDone();
}

TEST(FieldArchive, LimitsAreCheckedByTheReader)
{
    Fields fields = MakeFields();
    ASSERT_TRUE(IsRead(fields));
    fields.numbers.push_back(10);
    EXPECT_FALSE(IsRead(fields));
    fields = MakeFields();
    fields.drop = {{1, 2}, {3, 4}, {5, 6}};
    EXPECT_FALSE(IsRead(fields));
    fields = MakeFields();
    fields.make.push_back({7, 8});
    EXPECT_FALSE(IsRead(fields));
    fields = MakeFields();
    fields.duration = Time(-1);
    EXPECT_FALSE(IsRead(fields));
}

/// @return a buffer of these bytes
Buffer
Make(const std::vector<uint8_t>& bytes)
{
    Buffer buffer;
    buffer.AddAtStart(bytes.size());
    buffer.Begin().Write(bytes.data(), bytes.size());
    return buffer;
}

TEST(FieldArchive, ACountOfWhatIsNotThereTakesNoMemory)
{
    const Buffer buffer = Make({0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4});
    std::vector<uint64_t> numbers;
    FieldReader first(buffer.Begin(), 8);
    first.Numbers(numbers, std::numeric_limits<uint32_t>::max());
    EXPECT_FALSE(first.IsGood());
    EXPECT_EQ(numbers.capacity(), 0u);
    std::vector<uint8_t> elements;
    FieldReader second(buffer.Begin(), 8);
    second.Each(elements, [&second](uint8_t& element) { second.Number(element); });
    EXPECT_FALSE(second.IsGood());
    EXPECT_EQ(elements.size(), 5u) << "four that are there, and one that is not";
    std::string text;
    FieldReader third(buffer.Begin(), 8);
    third.Text(text, std::numeric_limits<uint32_t>::max());
    EXPECT_FALSE(third.IsGood());
    EXPECT_EQ(text, "");
}

TEST(FieldArchive, ABooleanIsOneOrZero)
{
    for (const uint8_t byte : {0, 1, 2, 255})
    {
        const Buffer buffer = Make({byte});
        FieldReader reader(buffer.Begin(), 1);
        bool value = false;
        reader.Boolean(value);
        EXPECT_EQ(reader.IsDone(), byte < 2);
        EXPECT_EQ(value, byte == 1);
    }
}

TEST(FieldArchive, NothingIsReadAfterWhatIsMalformed)
{
    const Buffer buffer = Make({1, 2});
    FieldReader reader(buffer.Begin(), 2);
    uint8_t byte = 7;
    reader.Require(false);
    reader.Require(true);
    reader.Number(byte);
    EXPECT_EQ(byte, 7);
    EXPECT_FALSE(reader.IsGood());
}

} // namespace
} // namespace ns3
