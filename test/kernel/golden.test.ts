import { describe, expect, it } from "vitest";
import { hashOf, hashOfText, hexOf } from "../../src/kernel/hash.ts";
import { Draw } from "../../src/kernel/randomness.ts";
import { Table } from "../../src/kernel/table.ts";
import { afterStart, commitsOf, openKitchen } from "../support/kitchen.ts";

// Values written down once: every platform and every version of Node has to come to them, and whoever makes the kernel faster
// must not change them unawares, because logs that people keep depend on them.

describe("the same on every platform:", () => {
  it("the words of a stream", () => {
    const draw = new Draw("golden");
    expect(Array.from({ length: 6 }, () => draw.uint32())).toMatchInlineSnapshot(`
      [
        883880899,
        407839039,
        2205331308,
        680888622,
        411374747,
        3797274690,
      ]
    `);
  });

  it("what is made of them", () => {
    const draw = new Draw('"golden":7');
    expect({
      uuid: draw.uuid(),
      base62: draw.base62(24),
      below: [draw.below(10), draw.below(1_000), draw.below(2 ** 32)],
      bytes: [...draw.bytes(5)],
      shuffled: draw.shuffle("abcdefgh".split("")).join(""),
      text: draw.text("xyz", 10),
    }).toMatchInlineSnapshot(`
      {
        "base62": "EOYycKrH7KfmPbnZw02D7J0w",
        "below": [
          5,
          210,
          801711196,
        ],
        "bytes": [
          121,
          93,
          214,
          231,
          174,
        ],
        "shuffled": "ebagchfd",
        "text": "xzxxzxzxyy",
        "uuid": "2f06cbfc-00d3-4102-b0e0-dbd56cc353f6",
      }
    `);
  });

  it("hashes", () => {
    expect({
      text: hexOf(hashOfText("golden")),
      empty: hexOf(hashOfText("")),
      astral: hexOf(hashOfText("\ud83d\ude00")),
      data: hexOf(hashOf({ a: [1, 2.5, "x", null, true], b: { c: -1e-7 } })),
      table: hexOf(
        hashOf(
          Table.from([
            ["one", { n: 1 }],
            ["two", { n: 2 }],
          ]),
        ),
      ),
    }).toMatchInlineSnapshot(`
      {
        "astral": "9d44b9f0769ea218c923a86397311d51",
        "data": "c7fa6ba42f6f12ba6b28f281438e69af",
        "empty": "04036610202608e95a40db6e421ecd6d",
        "table": "9dde6b8b4d62975e480cb25a661b8499",
        "text": "4efadafa13874010acc2ca442127b3b3",
      }
    `);
  });

  it("a log, byte for byte, and the state it leads to", () => {
    const kitchen = openKitchen({ seed: "golden" });
    kitchen.ask("cook", { stove: "gas", dish: "soup", ms: 500 });
    kitchen.ask("cook", { stove: "oven", dish: "bread", ms: 500 }, { cook: "ann" });
    kitchen.ask("stir", { stove: "gas", dish: "stew", ms: 1 });
    kitchen.clock.advanceTo(afterStart(700));
    kitchen.ask("throwAway", { stove: "gas", dish: "soup" });
    expect(commitsOf(kitchen.timeline).map((commit) => JSON.stringify(commit))).toMatchInlineSnapshot(`
      [
        "{"position":1,"atMs":1000000,"command":{"name":"cook","input":{"stove":"gas","dish":"soup","ms":500},"caller":null,"via":"call"},"events":[{"type":"DishStarted","v":1,"data":{"stove":"gas","dish":"soup","doneAtMs":1000500,"label":"tBC5NkOg"}}]}",
        "{"position":2,"atMs":1000000,"command":{"name":"cook","input":{"stove":"oven","dish":"bread","ms":500},"caller":{"cook":"ann"},"via":"call"},"events":[{"type":"DishStarted","v":1,"data":{"stove":"oven","dish":"bread","doneAtMs":1000500,"label":"bsbqlDI0"}}]}",
        "{"position":3,"atMs":1000500,"command":{"name":"timer.dishDone","input":{"stove":"gas","dish":"soup"},"caller":{"stove":"gas","deadline":"000000001000500.0000000001.000000000"},"via":"timer"},"events":[{"type":"DishServed","v":1,"data":{"stove":"gas","dish":"soup","status":"served"}}]}",
        "{"position":4,"atMs":1000500,"command":{"name":"timer.dishDone","input":{"stove":"oven","dish":"bread"},"caller":{"stove":"oven","deadline":"000000001000500.0000000002.000000000"},"via":"timer"},"events":[{"type":"DishServed","v":1,"data":{"stove":"oven","dish":"bread","status":"served"}}]}",
        "{"position":5,"atMs":1000700,"command":{"name":"throwAway","input":{"stove":"gas","dish":"soup"},"caller":null,"via":"call"},"events":[{"type":"DishThrownAway","v":1,"data":{"stove":"gas","dish":"soup"}}]}",
      ]
    `);
    expect(hexOf(hashOf(kitchen.timeline.state))).toMatchInlineSnapshot(`"0c00a64ea168af30f86489c40d72c22f"`);
  });
});
