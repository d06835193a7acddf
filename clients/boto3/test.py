"""The cases of clients/README.md, driven by boto3 against the server at DYNAMODB_ENDPOINT."""

import datetime
import os
import platform
import sys
import traceback
import uuid
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import boto3
from boto3.dynamodb.conditions import Attr, Key
from boto3.dynamodb.types import Binary
from botocore.exceptions import ClientError

TABLE = "clients-boto3"
ENDPOINT = os.environ["DYNAMODB_ENDPOINT"]
client = boto3.client("dynamodb", endpoint_url=ENDPOINT)


def same(got, want):
    if got != want:
        raise AssertionError(f"\n got {got!r}\nwant {want!r}")


def answer(response):
    """Returns a response without its metadata, which every response has."""
    metadata = response.pop("ResponseMetadata")
    same(metadata["HTTPStatusCode"], 200)
    same(metadata["RetryAttempts"], 0)
    same(len(metadata["RequestId"]), 52)
    return response


def refused(code, message, call, **parameters):
    """Makes a call that must fail with that code and message, and returns the error response."""
    try:
        call(**parameters)
    except ClientError as error:
        same((error.response["Error"]["Code"], error.response["Error"]["Message"]), (code, message))
        same(error.response["ResponseMetadata"]["HTTPStatusCode"], 400)
        modelled = getattr(client.exceptions, code, ClientError) if code != "ValidationException" else ClientError
        same(isinstance(error, modelled), True)
        return error.response
    raise AssertionError(f"{code} expected, but the call succeeded")


def key(pk, sk):
    return {"pk": {"S": pk}, "sk": {"S": sk}}


def put(item):
    return answer(client.put_item(TableName=TABLE, Item=item))


def get(pk, sk):
    return answer(client.get_item(TableName=TABLE, Key=key(pk, sk), ConsistentRead=True)).get("Item")


def create_table():
    definition = {
        "TableName": TABLE,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [
            {"AttributeName": "pk", "AttributeType": "S"},
            {"AttributeName": "sk", "AttributeType": "S"},
            {"AttributeName": "state", "AttributeType": "S"},
            {"AttributeName": "rank", "AttributeType": "N"},
        ],
        "KeySchema": [
            {"AttributeName": "pk", "KeyType": "HASH"},
            {"AttributeName": "sk", "KeyType": "RANGE"},
        ],
        "GlobalSecondaryIndexes": [
            {
                "IndexName": "by-state",
                "KeySchema": [
                    {"AttributeName": "state", "KeyType": "HASH"},
                    {"AttributeName": "rank", "KeyType": "RANGE"},
                ],
                "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["title"]},
            }
        ],
    }
    created = answer(client.create_table(**definition))["TableDescription"]
    same(created["TableStatus"], "CREATING")
    client.get_waiter("table_exists").wait(TableName=TABLE, WaiterConfig={"Delay": 1, "MaxAttempts": 20})

    table = answer(client.describe_table(TableName=TABLE))["Table"]
    same(table["TableStatus"], "ACTIVE")
    same(table["ItemCount"], 0)
    same(table["TableArn"], f"arn:aws:dynamodb:us-east-1:000000000000:table/{TABLE}")
    same(table["BillingModeSummary"]["BillingMode"], "PAY_PER_REQUEST")
    age = abs(datetime.datetime.now(datetime.timezone.utc) - table["CreationDateTime"])
    same(age < datetime.timedelta(hours=1), True)
    same(table["AttributeDefinitions"], definition["AttributeDefinitions"])
    same(table["KeySchema"], definition["KeySchema"])
    index = table["GlobalSecondaryIndexes"][0]
    same({name: index[name] for name in ("IndexName", "KeySchema", "Projection")}, definition["GlobalSecondaryIndexes"][0])
    same(index["IndexStatus"], "ACTIVE")

    refused("ResourceInUseException", f"Table already exists: {TABLE}", client.create_table, **definition)


def every_type():
    sent = {
        **key("types", "all"),
        "姓名": {"S": "张伟"},
        "empty": {"S": ""},
        "text": {"S": 'a "quoted"\nline, \0 and \U0001f600'},
        "big": {"N": "12345678901234567890123456789012345678"},
        "fraction": {"N": "-0.12345678901234567890123456789012345678"},
        "exponent": {"N": "1.50E+3"},
        "tiny": {"N": "1E-130"},
        "bytes": {"B": b"\x00\x01\x7f\x80\xff"},
        "noBytes": {"B": b""},
        "strings": {"SS": ["b", "中文", "a"]},
        "numbers": {"NS": ["10", "-2.50", "1e2"]},
        "binaries": {"BS": [b"\xff", b"\x00\x01"]},
        "nothing": {"NULL": True},
        "yes": {"BOOL": True},
        "no": {"BOOL": False},
        "list": {"L": [{"S": ""}, {"N": "7"}, {"L": []}, {"M": {}}, {"NULL": True}, {"L": [{"B": b"\x09"}]}]},
        "map": {"M": {"城市": {"S": "北京"}, "deeper": {"M": {"set": {"SS": ["x"]}, "flag": {"BOOL": False}}}}},
    }
    kept = {
        **sent,
        "exponent": {"N": "1500"},
        "tiny": {"N": "0." + "0" * 129 + "1"},
        "strings": {"SS": ["a", "b", "中文"]},
        "numbers": {"NS": ["-2.5", "10", "100"]},
        "binaries": {"BS": [b"\x00\x01", b"\xff"]},
    }
    same(put(sent), {})
    same(get("types", "all"), kept)

    projected = client.get_item(
        TableName=TABLE,
        Key=key("types", "all"),
        ProjectionExpression="#name, #map.#city, #list[1], absent",
        ExpressionAttributeNames={"#name": "姓名", "#map": "map", "#city": "城市", "#list": "list"},
    )
    want = {"姓名": {"S": "张伟"}, "map": {"M": {"城市": {"S": "北京"}}}, "list": {"L": [{"N": "7"}]}}
    same(answer(projected), {"Item": want})
    replaced = client.put_item(TableName=TABLE, Item=key("types", "all"), ReturnValues="ALL_OLD")
    same(answer(replaced), {"Attributes": kept})
    same(get("types", "all"), key("types", "all"))
    same(get("types", "none"), None)


def native_values():
    """The resource turns plain values into attribute values and back."""
    table = boto3.resource("dynamodb", endpoint_url=ENDPOINT).Table(TABLE)
    item = {
        "pk": "native",
        "sk": "all",
        "姓名": "张伟",
        "empty": "",
        "big": Decimal("12345678901234567890123456789012345678"),
        "integer": 9007199254740993,
        "bytes": Binary(b"\x00\xff"),
        "strings": {"a", "b"},
        "numbers": {Decimal("1.5"), Decimal("2")},
        "nothing": None,
        "yes": True,
        "nested": {"list": ["x", Decimal("1.5"), {"deep": []}]},
    }
    names = {"pk": "native", "sk": "all"}
    table.put_item(Item=item)
    same(table.get_item(Key=names)["Item"], item)

    updated = table.update_item(
        Key=names,
        UpdateExpression="SET #i = #i + :one ADD strings :c",
        ExpressionAttributeNames={"#i": "integer"},
        ExpressionAttributeValues={":one": 1, ":c": {"c"}},
        ReturnValues="UPDATED_NEW",
    )
    same(updated["Attributes"], {"integer": Decimal(9007199254740994), "strings": {"a", "b", "c"}})

    # Expressions that boto3 writes itself.
    found = table.query(
        KeyConditionExpression=Key("pk").eq("native") & Key("sk").begins_with("a"),
        FilterExpression=Attr("nested.list[0]").eq("x") & Attr("姓名").is_in(["李娜", "张伟"]) & ~Attr("absent").exists(),
    )
    same((found["Count"], found["ScannedCount"], found["Items"][0]["姓名"]), (1, 1, "张伟"))


def conditional_writes():
    item = {**key("condition", "1"), "owner": {"S": "王芳"}, "n": {"N": "3"}, "b": {"B": b"\x07"}}
    put(item)

    def fails(call, **parameters):
        return refused("ConditionalCheckFailedException", "The conditional request failed", call, TableName=TABLE, **parameters)

    replace = fails(
        client.put_item,
        Item=key("condition", "1"),
        ConditionExpression="attribute_not_exists(pk)",
        ReturnValuesOnConditionCheckFailure="ALL_OLD",
    )
    same(replace["Item"], item)
    update = fails(
        client.update_item,
        Key=key("condition", "1"),
        UpdateExpression="SET n = :n",
        ConditionExpression="n > :n",
        ExpressionAttributeValues={":n": {"N": "10"}},
        ReturnValuesOnConditionCheckFailure="ALL_OLD",
    )
    same(update["Item"], item)
    bare = fails(client.delete_item, Key=key("condition", "1"), ConditionExpression="attribute_not_exists(pk)")
    same("Item" in bare, False)
    absent = fails(
        client.delete_item,
        Key=key("condition", "2"),
        ConditionExpression="attribute_exists(pk)",
        ReturnValuesOnConditionCheckFailure="ALL_OLD",
    )
    same("Item" in absent, False)

    same(get("condition", "1"), item)
    deleted = client.delete_item(
        TableName=TABLE,
        Key=key("condition", "1"),
        ConditionExpression="#o = :o AND n BETWEEN :low AND :high",
        ExpressionAttributeNames={"#o": "owner"},
        ExpressionAttributeValues={":o": {"S": "王芳"}, ":low": {"N": "3.0"}, ":high": {"N": "3e0"}},
        ReturnValues="ALL_OLD",
    )
    same(answer(deleted), {"Attributes": item})
    same(get("condition", "1"), None)


def pages(pk, forward):
    for sk in ("a1", "a2", "a3", "a4", "a5", "b1"):
        put(key(pk, sk))
    found = []
    query = client.get_paginator("query").paginate(
        TableName=TABLE,
        KeyConditionExpression="pk = :pk AND begins_with(sk, :a)",
        ExpressionAttributeValues={":pk": {"S": pk}, ":a": {"S": "a"}},
        ScanIndexForward=forward,
        PaginationConfig={"PageSize": 2},
    )
    for page in query:
        same((page["Count"], page["ScannedCount"]), (len(page["Items"]), len(page["Items"])))
        last = page.get("LastEvaluatedKey")
        found.append(([item["sk"]["S"] for item in page["Items"]], last and last["sk"]["S"]))
    return found


def pages_forward():
    same(pages("forward", True), [(["a1", "a2"], "a2"), (["a3", "a4"], "a4"), (["a5"], None)])


def pages_backward():
    same(pages("backward", False), [(["a5", "a4"], "a4"), (["a3", "a2"], "a2"), (["a1"], None)])


def query_index():
    def in_index(sk, rank):
        return {**key("index", sk), "state": {"S": "进行中"}, "rank": {"N": rank}, "title": {"S": f"title {sk}"}}

    for sk, rank in (("a", "10"), ("b", "9"), ("c", "-1"), ("d", "2.5")):
        put({**in_index(sk, rank), "body": {"S": "not projected"}})
    put({**key("index", "sparse"), "state": {"S": "进行中"}})

    query = {
        "TableName": TABLE,
        "IndexName": "by-state",
        "KeyConditionExpression": "#s = :s AND #r > :r",
        "ExpressionAttributeNames": {"#s": "state", "#r": "rank"},
        "ExpressionAttributeValues": {":s": {"S": "进行中"}, ":r": {"N": "-1"}},
    }
    found = client.query(**query, ReturnConsumedCapacity="INDEXES")
    same(
        answer(found),
        {
            "Count": 3,
            "ScannedCount": 3,
            "Items": [in_index("d", "2.5"), in_index("b", "9"), in_index("a", "10")],
            "ConsumedCapacity": {
                "TableName": TABLE,
                "CapacityUnits": 0.5,
                "Table": {"CapacityUnits": 0.0},
                "GlobalSecondaryIndexes": {"by-state": {"CapacityUnits": 0.5}},
            },
        },
    )
    first = client.query(**query, Limit=1)
    same(first["LastEvaluatedKey"], {**key("index", "d"), "state": {"S": "进行中"}, "rank": {"N": "2.5"}})
    same(answer(client.query(**query, Select="COUNT")), {"Count": 3, "ScannedCount": 3})


def batches():
    def write(*requests):
        return answer(client.batch_write_item(RequestItems={TABLE: list(requests)}))

    items = [{**key("batch", sk), "v": {"N": sk}, "w": {"S": "w"}} for sk in "123"]
    same(write(*({"PutRequest": {"Item": item}} for item in items)), {"UnprocessedItems": {}})
    same(
        write({"DeleteRequest": {"Key": key("batch", "2")}}, {"PutRequest": {"Item": {**key("batch", "4"), "v": {"N": "4"}}}}),
        {"UnprocessedItems": {}},
    )
    wanted = {"Keys": [key("batch", sk) for sk in "1234"], "ProjectionExpression": "sk, v", "ConsistentRead": True}
    got = answer(client.batch_get_item(RequestItems={TABLE: wanted}))
    same(got["UnprocessedKeys"], {})
    found = sorted(got["Responses"][TABLE], key=lambda item: item["v"]["N"])
    same(found, [{"sk": {"S": sk}, "v": {"N": sk}} for sk in "134"])


def transaction():
    for sk in ("update", "delete", "check"):
        put({**key("transaction", sk), "n": {"N": "1"}})
    one = {":one": {"N": "1"}}

    def action(sk, **parameters):
        return {"TableName": TABLE, "Key": key("transaction", sk), **parameters}

    write = {
        "TransactItems": [
            {"Put": {"TableName": TABLE, "Item": key("transaction", "put"), "ConditionExpression": "attribute_not_exists(pk)"}},
            {"Update": action("update", UpdateExpression="SET n = n + :one", ExpressionAttributeValues=one)},
            {"Delete": action("delete")},
            {"ConditionCheck": action("check", ConditionExpression="n = :one", ExpressionAttributeValues=one)},
        ],
        "ClientRequestToken": str(uuid.uuid4()),  # the second time it does nothing
    }
    same(answer(client.transact_write_items(**write)), {})
    same(answer(client.transact_write_items(**write)), {})

    got = client.transact_get_items(TransactItems=[{"Get": action(sk)} for sk in ("put", "update", "delete")])
    same(
        answer(got)["Responses"],
        [{"Item": key("transaction", "put")}, {"Item": {**key("transaction", "update"), "n": {"N": "2"}}}, {}],
    )


def cancelled_transaction():
    there = {**key("cancelled", "there"), "owner": {"S": "李娜"}}
    put(there)
    response = refused(
        "TransactionCanceledException",
        "Transaction cancelled, please refer cancellation reasons for specific reasons "
        "[None, ConditionalCheckFailed, ConditionalCheckFailed]",
        client.transact_write_items,
        TransactItems=[
            {"Put": {"TableName": TABLE, "Item": key("cancelled", "new")}},
            {
                "Delete": {
                    "TableName": TABLE,
                    "Key": key("cancelled", "there"),
                    "ConditionExpression": "attribute_not_exists(pk)",
                    "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
                }
            },
            {
                "ConditionCheck": {
                    "TableName": TABLE,
                    "Key": key("cancelled", "absent"),
                    "ConditionExpression": "attribute_exists(pk)",
                }
            },
        ],
    )
    failed = {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"}
    same(response["CancellationReasons"], [{"Code": "None"}, {**failed, "Item": there}, failed])
    same(get("cancelled", "new"), None)
    same(get("cancelled", "there"), there)


def update_expressions():
    put(
        {
            **key("update", "1"),
            "n": {"N": "5"},
            "obsolete": {"S": "x"},
            "tags": {"SS": ["a", "b", "c"]},
            "log": {"L": [{"S": "first"}]},
            "address": {"M": {"城市": {"S": "北京"}}},
        }
    )

    def update(returned):
        response = client.update_item(
            TableName=TABLE,
            Key=key("update", "1"),
            UpdateExpression="SET n = n - :one, #l = list_append(#l, :tail), visits = if_not_exists(visits, :zero) + :one, "
            "address.#c = :city REMOVE obsolete ADD score :points, seen :seen DELETE tags :gone",
            ExpressionAttributeNames={"#l": "log", "#c": "城市"},
            ExpressionAttributeValues={
                ":zero": {"N": "0"},
                ":one": {"N": "1"},
                ":points": {"N": "0.1"},
                ":tail": {"L": [{"S": "next"}]},
                ":city": {"S": "上海"},
                ":seen": {"NS": ["2", "1"]},
                ":gone": {"SS": ["b", "c"]},
            },
            ReturnValues=returned,
        )
        return answer(response)["Attributes"]

    def updated(n, visits, score, log):
        return {
            "n": {"N": n},
            "visits": {"N": visits},
            "score": {"N": score},
            "seen": {"NS": ["1", "2"]},
            "tags": {"SS": ["a"]},
            "log": {"L": [{"S": entry} for entry in log]},
            "address": {"M": {"城市": {"S": "上海"}}},
        }

    same(update("ALL_NEW"), {**key("update", "1"), **updated("4", "1", "0.1", ["first", "next"])})
    same(update("UPDATED_NEW"), updated("3", "2", "0.2", ["first", "next", "next"]))


def parallel_scan():
    names = [f"{i:02}" for i in range(12)]
    for name in names:
        put({**key(f"scan#{name}", "1"), "scanned": {"S": name}})

    def segment(n):
        pages = client.get_paginator("scan").paginate(
            TableName=TABLE,
            Segment=n,
            TotalSegments=3,
            FilterExpression="attribute_exists(scanned)",
            PaginationConfig={"PageSize": 4},
        )
        found = []
        for page in pages:
            same(page["ScannedCount"] <= 4, True)
            found += [item["scanned"]["S"] for item in page["Items"]]
        return found

    with ThreadPoolExecutor(max_workers=3) as pool:
        segments = list(pool.map(segment, range(3)))
    same(sorted(sum(segments, [])), names)
    same(max(map(len, segments)) < len(names), True)


def missing_table():
    def missing(message, call, **parameters):
        refused("ResourceNotFoundException", message, call, TableName="clients-missing", **parameters)

    missing("Requested resource not found", client.get_item, Key=key("a", "b"))
    missing("Requested resource not found: Table: clients-missing not found", client.describe_table)


def bad_expressions():
    def invalid(message, call, **parameters):
        refused("ValidationException", message, call, TableName=TABLE, **parameters)

    invalid(
        "1 validation error detected: Invalid UpdateExpression: "
        'Syntax error; token: "INVALID", near: "INVALID SYNTAX"',
        client.update_item,
        Key=key("bad", "1"),
        UpdateExpression="INVALID SYNTAX",
    )
    invalid(
        "Invalid FilterExpression: Attribute name is a reserved keyword; reserved keyword: size",
        client.scan,
        FilterExpression="size = :v",
        ExpressionAttributeValues={":v": {"N": "1"}},
    )
    invalid(
        "Invalid KeyConditionExpression: An expression attribute value used in expression is not defined; attribute value: :pk",
        client.query,
        KeyConditionExpression="pk = :pk",
    )
    invalid("The provided key element does not match the schema", client.get_item, Key={"pk": {"S": "bad"}})


def delete_table():
    description = answer(client.delete_table(TableName=TABLE))["TableDescription"]
    same((description["TableName"], description["TableStatus"]), (TABLE, "DELETING"))
    client.get_waiter("table_not_exists").wait(TableName=TABLE, WaiterConfig={"Delay": 1, "MaxAttempts": 20})
    refused(
        "ResourceNotFoundException",
        f"Requested resource not found: Table: {TABLE} not found",
        client.delete_table,
        TableName=TABLE,
    )


CASES = [
    ("create a table with an index", create_table),
    ("every type of attribute", every_type),
    ("native values", native_values),
    ("conditional writes", conditional_writes),
    ("pages forward", pages_forward),
    ("pages backward", pages_backward),
    ("query an index", query_index),
    ("batches", batches),
    ("a transaction", transaction),
    ("a cancelled transaction", cancelled_transaction),
    ("update expressions", update_expressions),
    ("parallel scan", parallel_scan),
    ("a missing table", missing_table),
    ("bad expressions", bad_expressions),
    ("delete the table", delete_table),
]


def main():
    print(f"clients boto3: boto3 {boto3.__version__}, Python {platform.python_version()}")
    passed = 0
    for name, run in CASES:
        try:
            run()
        except Exception:  # the next case runs all the same
            print(f"clients boto3: {name}: FAILED\n{traceback.format_exc()}")
        else:
            passed += 1
            print(f"clients boto3: {name}: ok")
    print(f"clients boto3: {passed} passed, {len(CASES) - passed} failed")
    return 0 if passed == len(CASES) else 1


if __name__ == "__main__":
    sys.exit(main())
