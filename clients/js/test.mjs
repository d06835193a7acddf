// The cases of clients/README.md, driven by the AWS SDK for JavaScript against
// the server at DYNAMODB_ENDPOINT.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import process from "node:process";

import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  ConditionalCheckFailedException,
  CreateTableCommand,
  DeleteItemCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ResourceInUseException,
  ResourceNotFoundException,
  ScanCommand,
  TransactGetItemsCommand,
  TransactWriteItemsCommand,
  TransactionCanceledException,
  UpdateItemCommand,
  paginateQuery,
  paginateScan,
  waitUntilTableExists,
  waitUntilTableNotExists,
} from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, GetCommand, NumberValue, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";

const TableName = "clients-js";
const client = new DynamoDBClient({ endpoint: process.env.DYNAMODB_ENDPOINT });

const send = async (command) => {
  const { $metadata, ...output } = await client.send(command);
  assert.equal($metadata.httpStatusCode, 200);
  assert.equal($metadata.attempts, 1);
  assert.match($metadata.requestId, /^[A-Z0-9]{52}$/);
  return output;
};

// refused sends a command that must fail, and returns the error.
const refused = async (command, type, name, message) => {
  const error = await client.send(command).then(
    () => assert.fail(`${name} expected, but the request succeeded`),
    (error) => error,
  );
  assert.deepEqual([error.name, error.message], [name, message]);
  assert.equal(error.$metadata.httpStatusCode, 400);
  if (type) assert.ok(error instanceof type, `${name} is not of its class`);
  return error;
};

const put = (Item) => send(new PutItemCommand({ TableName, Item }));
const get = async (pk, sk) => (await send(new GetItemCommand({ TableName, Key: key(pk, sk), ConsistentRead: true }))).Item;
const key = (pk, sk) => ({ pk: { S: pk }, sk: { S: sk } });
const sortKeys = (items) => items.map((item) => item.sk.S);

async function createTable() {
  const definition = {
    TableName,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: [
      { AttributeName: "pk", AttributeType: "S" },
      { AttributeName: "sk", AttributeType: "S" },
      { AttributeName: "state", AttributeType: "S" },
      { AttributeName: "rank", AttributeType: "N" },
    ],
    KeySchema: [
      { AttributeName: "pk", KeyType: "HASH" },
      { AttributeName: "sk", KeyType: "RANGE" },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: "by-state",
        KeySchema: [
          { AttributeName: "state", KeyType: "HASH" },
          { AttributeName: "rank", KeyType: "RANGE" },
        ],
        Projection: { ProjectionType: "INCLUDE", NonKeyAttributes: ["title"] },
      },
    ],
  };
  const created = await send(new CreateTableCommand(definition));
  assert.equal(created.TableDescription.TableStatus, "CREATING");
  await waitUntilTableExists({ client, minDelay: 1, maxWaitTime: 20 }, { TableName });

  const { Table } = await send(new DescribeTableCommand({ TableName }));
  assert.equal(Table.TableStatus, "ACTIVE");
  assert.equal(Table.ItemCount, 0);
  assert.equal(Table.TableArn, `arn:aws:dynamodb:us-east-1:000000000000:table/${TableName}`);
  assert.equal(Table.BillingModeSummary.BillingMode, "PAY_PER_REQUEST");
  assert.ok(Math.abs(Table.CreationDateTime - new Date()) < 3600_000, `created at ${Table.CreationDateTime}`);
  assert.deepEqual(Table.AttributeDefinitions, definition.AttributeDefinitions);
  assert.deepEqual(Table.KeySchema, definition.KeySchema);
  const [index] = Table.GlobalSecondaryIndexes;
  const { IndexName, KeySchema, Projection, IndexStatus } = index;
  assert.deepEqual({ IndexName, KeySchema, Projection }, definition.GlobalSecondaryIndexes[0]);
  assert.equal(IndexStatus, "ACTIVE");

  await refused(new CreateTableCommand(definition), ResourceInUseException, "ResourceInUseException", `Table already exists: ${TableName}`);
}

async function everyType() {
  const sent = {
    ...key("types", "all"),
    姓名: { S: "张伟" },
    empty: { S: "" },
    text: { S: 'a "quoted"\nline, \u0000 and \u{1F600}' },
    big: { N: "12345678901234567890123456789012345678" },
    fraction: { N: "-0.12345678901234567890123456789012345678" },
    exponent: { N: "1.50E+3" },
    tiny: { N: "1E-130" },
    bytes: { B: Uint8Array.of(0, 1, 127, 128, 255) },
    noBytes: { B: new Uint8Array() },
    strings: { SS: ["b", "中文", "a"] },
    numbers: { NS: ["10", "-2.50", "1e2"] },
    binaries: { BS: [Uint8Array.of(255), Uint8Array.of(0, 1)] },
    nothing: { NULL: true },
    yes: { BOOL: true },
    no: { BOOL: false },
    list: { L: [{ S: "" }, { N: "7" }, { L: [] }, { M: {} }, { NULL: true }, { L: [{ B: Uint8Array.of(9) }] }] },
    map: { M: { 城市: { S: "北京" }, deeper: { M: { set: { SS: ["x"] }, flag: { BOOL: false } } } } },
  };
  const kept = {
    ...sent,
    exponent: { N: "1500" },
    tiny: { N: `0.${"0".repeat(129)}1` },
    strings: { SS: ["a", "b", "中文"] },
    numbers: { NS: ["-2.5", "10", "100"] },
    binaries: { BS: [Uint8Array.of(0, 1), Uint8Array.of(255)] },
  };
  assert.deepEqual(await put(sent), {});
  assert.deepEqual(await get("types", "all"), kept);

  const projected = await send(
    new GetItemCommand({
      TableName,
      Key: key("types", "all"),
      ProjectionExpression: "#name, #map.#city, #list[1], absent",
      ExpressionAttributeNames: { "#name": "姓名", "#map": "map", "#city": "城市", "#list": "list" },
    }),
  );
  assert.deepEqual(projected, {
    Item: { 姓名: { S: "张伟" }, map: { M: { 城市: { S: "北京" } } }, list: { L: [{ N: "7" }] } },
  });
  const replaced = await send(new PutItemCommand({ TableName, Item: key("types", "all"), ReturnValues: "ALL_OLD" }));
  assert.deepEqual(replaced, { Attributes: kept });
  assert.deepEqual(await get("types", "all"), key("types", "all"));
  assert.equal(await get("types", "none"), undefined);
}

// The document client turns plain values into attribute values and back.
async function nativeValues() {
  const documents = DynamoDBDocumentClient.from(client, { unmarshallOptions: { wrapNumbers: NumberValue.from } });
  const number = (text) => NumberValue.from(text);
  const Item = {
    pk: "native",
    sk: "all",
    姓名: "张伟",
    empty: "",
    big: number("12345678901234567890123456789012345678"),
    integer: number("9007199254740993"),
    bytes: Uint8Array.of(0, 255),
    strings: new Set(["a", "b"]),
    nothing: null,
    yes: true,
    nested: { list: ["x", number("1.5"), { deep: [] }] },
  };
  await documents.send(new PutCommand({ TableName, Item }));
  const Key = { pk: "native", sk: "all" };
  const got = await documents.send(new GetCommand({ TableName, Key }));
  assert.deepEqual(got.Item, Item);

  const updated = await documents.send(
    new UpdateCommand({
      TableName,
      Key,
      UpdateExpression: "SET #i = #i + :one ADD strings :c",
      ExpressionAttributeNames: { "#i": "integer" },
      ExpressionAttributeValues: { ":one": 1n, ":c": new Set(["c"]) },
      ReturnValues: "UPDATED_NEW",
    }),
  );
  assert.deepEqual(updated.Attributes, { integer: number("9007199254740994"), strings: new Set(["a", "b", "c"]) });
}

async function conditionalWrites() {
  const item = { ...key("condition", "1"), owner: { S: "王芳" }, n: { N: "3" }, b: { B: Uint8Array.of(7) } };
  await put(item);
  const failed = "The conditional request failed";
  const unless = { ConditionExpression: "attribute_not_exists(pk)", ReturnValuesOnConditionCheckFailure: "ALL_OLD" };
  const fails = (command) => refused(command, ConditionalCheckFailedException, "ConditionalCheckFailedException", failed);

  const replace = await fails(new PutItemCommand({ TableName, Item: key("condition", "1"), ...unless }));
  assert.deepEqual(replace.Item, item);
  const update = await fails(
    new UpdateItemCommand({
      TableName,
      Key: key("condition", "1"),
      UpdateExpression: "SET n = :n",
      ConditionExpression: "n > :n",
      ExpressionAttributeValues: { ":n": { N: "10" } },
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    }),
  );
  assert.deepEqual(update.Item, item);
  const bare = await fails(new DeleteItemCommand({ TableName, Key: key("condition", "1"), ConditionExpression: "attribute_not_exists(pk)" }));
  assert.equal(bare.Item, undefined);
  const absent = await fails(
    new DeleteItemCommand({
      TableName,
      Key: key("condition", "2"),
      ConditionExpression: "attribute_exists(pk)",
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    }),
  );
  assert.equal(absent.Item, undefined);

  assert.deepEqual(await get("condition", "1"), item);
  const deleted = await send(
    new DeleteItemCommand({
      TableName,
      Key: key("condition", "1"),
      ConditionExpression: "#o = :o AND n BETWEEN :low AND :high",
      ExpressionAttributeNames: { "#o": "owner" },
      ExpressionAttributeValues: { ":o": { S: "王芳" }, ":low": { N: "3.0" }, ":high": { N: "3e0" } },
      ReturnValues: "ALL_OLD",
    }),
  );
  assert.deepEqual(deleted, { Attributes: item });
  assert.equal(await get("condition", "1"), undefined);
}

async function pages(pk, ScanIndexForward) {
  for (const sk of ["a1", "a2", "a3", "a4", "a5", "b1"]) await put(key(pk, sk));
  const found = [];
  const query = {
    TableName,
    KeyConditionExpression: "pk = :pk AND begins_with(sk, :a)",
    ExpressionAttributeValues: { ":pk": { S: pk }, ":a": { S: "a" } },
    ScanIndexForward,
  };
  for await (const page of paginateQuery({ client, pageSize: 2 }, query)) {
    assert.equal(page.Count, page.Items.length);
    assert.equal(page.ScannedCount, page.Items.length);
    found.push([sortKeys(page.Items), page.LastEvaluatedKey?.sk.S]);
  }
  return found;
}

async function pagesForward() {
  assert.deepEqual(await pages("forward", true), [
    [["a1", "a2"], "a2"],
    [["a3", "a4"], "a4"],
    [["a5"], undefined],
  ]);
}

async function pagesBackward() {
  assert.deepEqual(await pages("backward", false), [
    [["a5", "a4"], "a4"],
    [["a3", "a2"], "a2"],
    [["a1"], undefined],
  ]);
}

async function queryIndex() {
  const inIndex = (sk, rank) => ({ ...key("index", sk), state: { S: "进行中" }, rank: { N: rank }, title: { S: `title ${sk}` } });
  for (const [sk, rank] of [["a", "10"], ["b", "9"], ["c", "-1"], ["d", "2.5"]]) {
    await put({ ...inIndex(sk, rank), body: { S: "not projected" } });
  }
  await put({ ...key("index", "sparse"), state: { S: "进行中" } });

  const query = {
    TableName,
    IndexName: "by-state",
    KeyConditionExpression: "#s = :s AND #r > :r",
    ExpressionAttributeNames: { "#s": "state", "#r": "rank" },
    ExpressionAttributeValues: { ":s": { S: "进行中" }, ":r": { N: "-1" } },
    ReturnConsumedCapacity: "INDEXES",
  };
  assert.deepEqual(await send(new QueryCommand(query)), {
    Count: 3,
    ScannedCount: 3,
    Items: [inIndex("d", "2.5"), inIndex("b", "9"), inIndex("a", "10")],
    ConsumedCapacity: {
      TableName,
      CapacityUnits: 0.5,
      Table: { CapacityUnits: 0 },
      GlobalSecondaryIndexes: { "by-state": { CapacityUnits: 0.5 } },
    },
  });
  const first = await send(new QueryCommand({ ...query, Limit: 1, ReturnConsumedCapacity: "NONE" }));
  assert.deepEqual(first.LastEvaluatedKey, { ...key("index", "d"), state: { S: "进行中" }, rank: { N: "2.5" } });
  const counted = await send(new QueryCommand({ ...query, Select: "COUNT", ReturnConsumedCapacity: "NONE" }));
  assert.deepEqual(counted, { Count: 3, ScannedCount: 3 });
}

async function batches() {
  const items = ["1", "2", "3"].map((sk) => ({ ...key("batch", sk), v: { N: sk }, w: { S: "w" } }));
  const write = (requests) => send(new BatchWriteItemCommand({ RequestItems: { [TableName]: requests } }));
  assert.deepEqual(await write(items.map((Item) => ({ PutRequest: { Item } }))), { UnprocessedItems: {} });
  const mixed = [{ DeleteRequest: { Key: key("batch", "2") } }, { PutRequest: { Item: { ...key("batch", "4"), v: { N: "4" } } } }];
  assert.deepEqual(await write(mixed), { UnprocessedItems: {} });

  const got = await send(
    new BatchGetItemCommand({
      RequestItems: {
        [TableName]: { Keys: ["1", "2", "3", "4"].map((sk) => key("batch", sk)), ProjectionExpression: "sk, v", ConsistentRead: true },
      },
    }),
  );
  assert.deepEqual(got.UnprocessedKeys, {});
  const found = got.Responses[TableName].sort((a, b) => a.v.N - b.v.N);
  assert.deepEqual(found, ["1", "3", "4"].map((sk) => ({ sk: { S: sk }, v: { N: sk } })));
}

async function transaction() {
  for (const sk of ["update", "delete", "check"]) await put({ ...key("transaction", sk), n: { N: "1" } });
  const ExpressionAttributeValues = { ":one": { N: "1" } };
  const TransactItems = [
    { Put: { TableName, Item: key("transaction", "put"), ConditionExpression: "attribute_not_exists(pk)" } },
    { Update: { TableName, Key: key("transaction", "update"), UpdateExpression: "SET n = n + :one", ExpressionAttributeValues } },
    { Delete: { TableName, Key: key("transaction", "delete") } },
    { ConditionCheck: { TableName, Key: key("transaction", "check"), ConditionExpression: "n = :one", ExpressionAttributeValues } },
  ];
  const ClientRequestToken = randomUUID(); // the second time it does nothing
  assert.deepEqual(await send(new TransactWriteItemsCommand({ TransactItems, ClientRequestToken })), {});
  assert.deepEqual(await send(new TransactWriteItemsCommand({ TransactItems, ClientRequestToken })), {});

  const got = await send(
    new TransactGetItemsCommand({
      TransactItems: ["put", "update", "delete"].map((sk) => ({ Get: { TableName, Key: key("transaction", sk) } })),
    }),
  );
  assert.deepEqual(got.Responses, [
    { Item: key("transaction", "put") },
    { Item: { ...key("transaction", "update"), n: { N: "2" } } },
    {},
  ]);
}

async function cancelledTransaction() {
  const there = { ...key("cancelled", "there"), owner: { S: "李娜" } };
  await put(there);
  const condition = { TableName, Key: key("cancelled", "there"), ConditionExpression: "attribute_not_exists(pk)" };
  const error = await refused(
    new TransactWriteItemsCommand({
      TransactItems: [
        { Put: { TableName, Item: key("cancelled", "new") } },
        { Delete: { ...condition, ReturnValuesOnConditionCheckFailure: "ALL_OLD" } },
        { ConditionCheck: { TableName, Key: key("cancelled", "absent"), ConditionExpression: "attribute_exists(pk)" } },
      ],
    }),
    TransactionCanceledException,
    "TransactionCanceledException",
    "Transaction cancelled, please refer cancellation reasons for specific reasons [None, ConditionalCheckFailed, ConditionalCheckFailed]",
  );
  const failed = { Code: "ConditionalCheckFailed", Message: "The conditional request failed" };
  assert.deepEqual(error.CancellationReasons, [{ Code: "None" }, { ...failed, Item: there }, failed]);
  assert.equal(await get("cancelled", "new"), undefined);
  assert.deepEqual(await get("cancelled", "there"), there);
}

async function updateExpressions() {
  await put({
    ...key("update", "1"),
    n: { N: "5" },
    obsolete: { S: "x" },
    tags: { SS: ["a", "b", "c"] },
    log: { L: [{ S: "first" }] },
    address: { M: { 城市: { S: "北京" } } },
  });
  const update = (ReturnValues) =>
    send(
      new UpdateItemCommand({
        TableName,
        Key: key("update", "1"),
        UpdateExpression:
          "SET n = n - :one, #l = list_append(#l, :tail), visits = if_not_exists(visits, :zero) + :one, address.#c = :city " +
          "REMOVE obsolete ADD score :points, seen :seen DELETE tags :gone",
        ExpressionAttributeNames: { "#l": "log", "#c": "城市" },
        ExpressionAttributeValues: {
          ":zero": { N: "0" },
          ":one": { N: "1" },
          ":points": { N: "0.1" },
          ":tail": { L: [{ S: "next" }] },
          ":city": { S: "上海" },
          ":seen": { NS: ["2", "1"] },
          ":gone": { SS: ["b", "c"] },
        },
        ReturnValues,
      }),
    );
  assert.deepEqual(await update("ALL_NEW"), {
    Attributes: {
      ...key("update", "1"),
      n: { N: "4" },
      visits: { N: "1" },
      score: { N: "0.1" },
      seen: { NS: ["1", "2"] },
      tags: { SS: ["a"] },
      log: { L: [{ S: "first" }, { S: "next" }] },
      address: { M: { 城市: { S: "上海" } } },
    },
  });
  assert.deepEqual(await update("UPDATED_NEW"), {
    Attributes: {
      n: { N: "3" },
      visits: { N: "2" },
      score: { N: "0.2" },
      seen: { NS: ["1", "2"] },
      tags: { SS: ["a"] },
      log: { L: [{ S: "first" }, { S: "next" }, { S: "next" }] },
      address: { M: { 城市: { S: "上海" } } },
    },
  });
}

async function parallelScan() {
  const names = Array.from({ length: 12 }, (_, i) => String(i).padStart(2, "0"));
  for (const name of names) await put({ ...key(`scan#${name}`, "1"), scanned: { S: name } });
  const TotalSegments = 3;
  const segment = async (Segment) => {
    const found = [];
    const scan = { TableName, Segment, TotalSegments, FilterExpression: "attribute_exists(scanned)" };
    for await (const page of paginateScan({ client, pageSize: 4 }, scan)) {
      assert.ok(page.ScannedCount <= 4);
      found.push(...page.Items.map((item) => item.scanned.S));
    }
    return found;
  };
  const segments = await Promise.all([0, 1, 2].map(segment));
  assert.deepEqual(segments.flat().sort(), names);
  assert.ok(segments.every((found) => found.length < names.length), "all items are in one segment");
}

async function missingTable() {
  const missing = { TableName: "clients-missing" };
  const name = "ResourceNotFoundException";
  await refused(new GetItemCommand({ ...missing, Key: key("a", "b") }), ResourceNotFoundException, name, "Requested resource not found");
  await refused(
    new DescribeTableCommand(missing),
    ResourceNotFoundException,
    name,
    "Requested resource not found: Table: clients-missing not found",
  );
}

async function badExpressions() {
  const invalid = (command, message) => refused(command, undefined, "ValidationException", message);
  await invalid(
    new UpdateItemCommand({ TableName, Key: key("bad", "1"), UpdateExpression: "INVALID SYNTAX" }),
    '1 validation error detected: Invalid UpdateExpression: Syntax error; token: "INVALID", near: "INVALID SYNTAX"',
  );
  await invalid(
    new ScanCommand({ TableName, FilterExpression: "size = :v", ExpressionAttributeValues: { ":v": { N: "1" } } }),
    "Invalid FilterExpression: Attribute name is a reserved keyword; reserved keyword: size",
  );
  await invalid(
    new QueryCommand({ TableName, KeyConditionExpression: "pk = :pk" }),
    "Invalid KeyConditionExpression: An expression attribute value used in expression is not defined; attribute value: :pk",
  );
  await invalid(new GetItemCommand({ TableName, Key: { pk: { S: "bad" } } }), "The provided key element does not match the schema");
}

async function deleteTable() {
  const { TableDescription } = await send(new DeleteTableCommand({ TableName }));
  assert.equal(TableDescription.TableName, TableName);
  assert.equal(TableDescription.TableStatus, "DELETING");
  await waitUntilTableNotExists({ client, minDelay: 1, maxWaitTime: 20 }, { TableName });
  await refused(
    new DeleteTableCommand({ TableName }),
    ResourceNotFoundException,
    "ResourceNotFoundException",
    `Requested resource not found: Table: ${TableName} not found`,
  );
}

const cases = [
  ["create a table with an index", createTable],
  ["every type of attribute", everyType],
  ["native values", nativeValues],
  ["conditional writes", conditionalWrites],
  ["pages forward", pagesForward],
  ["pages backward", pagesBackward],
  ["query an index", queryIndex],
  ["batches", batches],
  ["a transaction", transaction],
  ["a cancelled transaction", cancelledTransaction],
  ["update expressions", updateExpressions],
  ["parallel scan", parallelScan],
  ["a missing table", missingTable],
  ["bad expressions", badExpressions],
  ["delete the table", deleteTable],
];

const manifest = new URL("node_modules/@aws-sdk/client-dynamodb/package.json", import.meta.url);
console.log(`clients js: SDK ${JSON.parse(readFileSync(manifest)).version}, Node ${process.version}`);
let passed = 0;
for (const [name, run] of cases) {
  try {
    await run();
    passed++;
    console.log(`clients js: ${name}: ok`);
  } catch (error) {
    console.log(`clients js: ${name}: FAILED\n${error.stack}`);
  }
}
client.destroy();
console.log(`clients js: ${passed} passed, ${cases.length - passed} failed`);
process.exitCode = passed === cases.length ? 0 : 1;
