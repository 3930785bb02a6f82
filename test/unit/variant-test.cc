// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/config.h"
#include "ns3/object.h"
#include "ns3/uinteger.h"
#include "ns3/variant.h"

#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// A family.
class Fruit : public Object
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("test::Fruit").SetParent<Object>();
        return tid;
    }

    virtual std::string GetName() const = 0;
};

/// A class between: no variant, since it has no constructor.
class StoneFruit : public Fruit
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("test::StoneFruit").SetParent<Fruit>();
        return tid;
    }
};

class Plum : public StoneFruit
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("test::Plum").SetParent<StoneFruit>().AddConstructor<Plum>();
        return tid;
    }

    std::string GetName() const override
    {
        return "plum";
    }
};

/// Registered late, and by each test that needs it.
class Apple : public Fruit
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("test::Apple").SetParent<Fruit>().AddConstructor<Apple>();
        return tid;
    }

    std::string GetName() const override
    {
        return "apple";
    }
};

/// A variant with an attribute.
class Cherry : public StoneFruit
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("test::Cherry")
                                .SetParent<StoneFruit>()
                                .AddConstructor<Cherry>()
                                .AddAttribute("Stones",
                                              "Number of stones.",
                                              UintegerValue(1),
                                              MakeUintegerAccessor(&Cherry::stones),
                                              MakeUintegerChecker<uint32_t>());
        return tid;
    }

    std::string GetName() const override
    {
        return std::to_string(stones) + " cherry stones";
    }

    uint32_t stones{0};
};

NS_OBJECT_ENSURE_REGISTERED(Fruit);
NS_OBJECT_ENSURE_REGISTERED(StoneFruit);
NS_OBJECT_ENSURE_REGISTERED(Plum);

/// A family without variants.
class Stone : public Object
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("test::Stone").SetParent<Object>();
        return tid;
    }

    virtual std::string GetName() const = 0;
};

/// Two classes of one name.
class Pebble : public Stone
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("test::Pebble").SetParent<Stone>().AddConstructor<Pebble>();
        return tid;
    }

    std::string GetName() const override
    {
        return "pebble";
    }
};

class Gravel : public Pebble
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("test::Gravel").SetParent<Stone>().AddConstructor<Gravel>();
        return tid;
    }
};

/// A variant whose author forgot the constructor.
class Marble : public Stone
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("test::Marble").SetParent<Stone>();
        return tid;
    }
};

/// A class of another family whose author copied the parent.
class Brick : public Object
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("test::Brick").SetParent<Stone>().AddConstructor<Brick>();
        return tid;
    }
};

} // namespace

TEST(Variant, IsFoundByItsNameOrThatOfItsType)
{
    const Variant<Fruit> plum("plum");
    EXPECT_EQ(plum->GetName(), "plum");
    EXPECT_EQ(plum, Variant<Fruit>("test::Plum"));
    EXPECT_FALSE(Variant<Fruit>::Find("stone fruit"));
    EXPECT_FALSE(Variant<Fruit>::Find("test::StoneFruit"));
    EXPECT_FALSE(Variant<Fruit>::Find(""));
    // Schedules are another family.
    EXPECT_FALSE(Variant<Fruit>::Find("1f1b"));
}

TEST(Variant, IsKnownAsSoonAsItIsRegistered)
{
    const Variant<Fruit> plum("plum");
    Apple::GetTypeId();
    const auto apple = Variant<Fruit>::Find("apple");
    ASSERT_TRUE(apple);
    EXPECT_NE(*apple, plum);
    EXPECT_TRUE(*apple < plum);
    EXPECT_EQ(Variant<Fruit>::GetNames(), (std::vector<std::string>{"apple", "plum"}));
}

TEST(Variant, HasTheAttributesOfTheTimeOfItsLookUp)
{
    Cherry::GetTypeId();
    // Its name is known from now on, and must not keep attributes from being set.
    const Variant<Fruit> before("test::Cherry");
    EXPECT_EQ(before->GetName(), "1 cherry stones");
    Config::SetDefault("test::Cherry::Stones", UintegerValue(2));
    const Variant<Fruit> after("test::Cherry");
    const Variant<Fruit> copy = after;
    Config::SetDefault("test::Cherry::Stones", UintegerValue(1));
    EXPECT_EQ(before->GetName(), "1 cherry stones");
    EXPECT_EQ(after->GetName(), "2 cherry stones");
    EXPECT_EQ(copy->GetName(), "2 cherry stones");
    EXPECT_EQ(copy, after);
    EXPECT_NE(before, after) << "names of cherries have their attributes";
    EXPECT_NE(before, "plum");
}

TEST(VariantDeathTest, WithoutAConstructorEndsTheProgram)
{
    EXPECT_DEATH(
        {
            Marble::GetTypeId();
            Variant<Stone>::GetNames();
        },
        "test::Marble cannot be a variant of test::Stone: its TypeId needs AddConstructor");
}

TEST(VariantDeathTest, OfAnotherClassThanItsParentSaysEndsTheProgram)
{
    EXPECT_DEATH(
        {
            Brick::GetTypeId();
            Variant<Stone>::GetNames();
        },
        "test::Brick cannot be a variant of test::Stone: it is not derived from this class");
}

TEST(VariantDeathTest, OfNoNameEndsTheProgram)
{
    EXPECT_DEATH(Variant<Fruit>("turnip"), "turnip: test::Fruit has no such variant");
}

TEST(VariantDeathTest, OfANameThatIsTakenEndsTheProgram)
{
    Pebble::GetTypeId();
    Gravel::GetTypeId();
    EXPECT_DEATH(Variant<Stone>::Find("pebble"),
                 "test::(Gravel|Pebble) and test::(Gravel|Pebble) are both named pebble");
}
