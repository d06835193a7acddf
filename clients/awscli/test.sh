#!/usr/bin/env bash
#
# The cases of clients/README.md, driven by the AWS CLI against the server at
# DYNAMODB_ENDPOINT. AWS names the program, if it is not the aws on the PATH.

set -euo pipefail

readonly AWS=${AWS:-aws}
readonly DYNAMODB_ENDPOINT

scratch=$(mktemp -d)
readonly scratch
trap 'rm -rf "$scratch"' EXIT

# dynamodb makes a call. One that fails prints its status too: bash does not end for
# a command in an argument, and what prints nothing could pass for success.
dynamodb() {
	local status=0
	"$AWS" --endpoint-url "$DYNAMODB_ENDPOINT" --output json dynamodb "$@" || status=$?
	if ((status != 0)); then
		echo "{\"status\": $status}"
		return "$status"
	fi
}

# call makes a call with its input as JSON; further arguments are the CLI's own.
call() { dynamodb "$1" --cli-input-json "$2" "${@:3}"; }

# same compares two JSON texts, whatever the order of members.
same() {
	local got want
	got=$(jq -S . <<<"$1")
	want=$(jq -S . <<<"$2")
	if ! diff <(echo "$got") <(echo "$want") >"$scratch/diff"; then
		echo "got (<) is not want (>):"
		cat "$scratch/diff"
		return 1
	fi
}

# refused makes a call that must fail with that code and message, and leaves the
# body of the response in the variable body; of what the service adds to an error
# the CLI shows nothing but there.
refused() {
	local code=$1 message=$2 status=0
	call "${@:3}" --debug >"$scratch/out" 2>"$scratch/err" || status=$?
	sed -En 's/^.*(An error occurred \(.*\)) when calling the [A-Za-z]+ operation( \(reached max retries: 0\))?: /\1 /p' \
		"$scratch/err" | tail -n 1 >"$scratch/got"
	body=$(printf '%b' "$(sed -n "s/^b'\({.*}\)'$/\1/p" "$scratch/err" | tail -n 1)")
	if ((status != 254)) || ! diff "$scratch/got" - <<<"An error occurred ($code) $message" >"$scratch/diff"; then
		echo "status $status, want 254; got (<) is not want (>):"
		cat "$scratch/diff"
		return 1
	fi
}

definition='{
	"TableName": "clients-cli",
	"BillingMode": "PAY_PER_REQUEST",
	"AttributeDefinitions": [
		{"AttributeName": "pk", "AttributeType": "S"},
		{"AttributeName": "sk", "AttributeType": "S"},
		{"AttributeName": "state", "AttributeType": "S"},
		{"AttributeName": "rank", "AttributeType": "N"}
	],
	"KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
	"GlobalSecondaryIndexes": [{
		"IndexName": "by-state",
		"KeySchema": [{"AttributeName": "state", "KeyType": "HASH"}, {"AttributeName": "rank", "KeyType": "RANGE"}],
		"Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["title"]}
	}]
}'
readonly definition

create_table() {
	local table
	same "$(call create-table "$definition" --query TableDescription.TableStatus)" '"CREATING"'
	dynamodb wait table-exists --table-name clients-cli
	table=$(dynamodb describe-table --table-name clients-cli --query Table)
	same "$(jq '{TableName, AttributeDefinitions, KeySchema, BillingMode: .BillingModeSummary.BillingMode,
		GlobalSecondaryIndexes: [.GlobalSecondaryIndexes[] | {IndexName, KeySchema, Projection}]}' <<<"$table")" "$definition"
	same "$(jq '[.TableStatus, .ItemCount, .TableArn, .GlobalSecondaryIndexes[].IndexStatus]' <<<"$table")" \
		'["ACTIVE", 0, "arn:aws:dynamodb:us-east-1:000000000000:table/clients-cli", "ACTIVE"]'
	refused ResourceInUseException 'Table already exists: clients-cli' create-table "$definition"
}

every_type() {
	local sent kept
	sent='{
		"pk": {"S": "types"}, "sk": {"S": "all"},
		"姓名": {"S": "张伟"},
		"empty": {"S": ""},
		"text": {"S": "a \"quoted\"\nline, \u0000 and \ud83d\ude00"},
		"big": {"N": "12345678901234567890123456789012345678"},
		"fraction": {"N": "-0.12345678901234567890123456789012345678"},
		"exponent": {"N": "1.50E+3"},
		"bytes": {"B": "AAF/gP8="},
		"noBytes": {"B": ""},
		"strings": {"SS": ["b", "中文", "a"]},
		"numbers": {"NS": ["10", "-2.50", "1e2"]},
		"binaries": {"BS": ["/w==", "AAE="]},
		"nothing": {"NULL": true}, "yes": {"BOOL": true}, "no": {"BOOL": false},
		"list": {"L": [{"S": ""}, {"N": "7"}, {"L": []}, {"M": {}}, {"NULL": true}, {"L": [{"B": "CQ=="}]}]},
		"map": {"M": {"城市": {"S": "北京"}, "deeper": {"M": {"set": {"SS": ["x"]}, "flag": {"BOOL": false}}}}}
	}'
	kept=$(jq '.exponent.N = "1500" | .strings.SS = ["a", "b", "中文"] | .numbers.NS = ["-2.5", "10", "100"] |
		.binaries.BS = ["AAE=", "/w=="]' <<<"$sent")
	same "$(call put-item "{\"TableName\": \"clients-cli\", \"Item\": $sent}")" ''
	same "$(call put-item '{"TableName": "clients-cli", "Item": {"pk": {"S": "types"}, "sk": {"S": "all"}, "姓名": {"S": "王芳"}},
		"ReturnValues": "ALL_OLD"}')" "{\"Attributes\": $kept}"
	same "$(dynamodb get-item --table-name clients-cli --key '{"pk": {"S": "types"}, "sk": {"S": "all"}}' --consistent-read \
		--projection-expression '#n, absent' --expression-attribute-names '{"#n": "姓名"}')" '{"Item": {"姓名": {"S": "王芳"}}}'
}

conditional_writes() {
	local item='{"pk": {"S": "condition"}, "sk": {"S": "1"}, "owner": {"S": "王芳"}, "n": {"N": "3"}}'
	call put-item "{\"TableName\": \"clients-cli\", \"Item\": $item}"
	refused ConditionalCheckFailedException 'The conditional request failed' \
		put-item '{"TableName": "clients-cli", "Item": {"pk": {"S": "condition"}, "sk": {"S": "1"}},
			"ConditionExpression": "attribute_not_exists(pk)", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}'
	same "$(jq .Item <<<"$body")" "$item"
	same "$(call delete-item '{"TableName": "clients-cli", "Key": {"pk": {"S": "condition"}, "sk": {"S": "1"}},
		"ConditionExpression": "#o = :o AND n BETWEEN :low AND :high", "ExpressionAttributeNames": {"#o": "owner"},
		"ExpressionAttributeValues": {":o": {"S": "王芳"}, ":low": {"N": "3.0"}, ":high": {"N": "3e0"}},
		"ReturnValues": "ALL_OLD"}')" "{\"Attributes\": $item}"
}

# pages prints the sort keys that the CLI gathers from pages of two: three keys,
# and with the token that it then returns the rest.
pages() {
	local query page token
	call batch-write-item "$(jq -n --arg pk "$1" '{RequestItems: {"clients-cli":
		["a1", "a2", "a3", "a4", "a5", "b1" | {PutRequest: {Item: {pk: {S: $pk}, sk: {S: .}}}}]}}')" >"$scratch/written"
	query=(--table-name clients-cli --page-size 2 "--$2" --key-condition-expression 'pk = :pk AND begins_with(sk, :a)'
		--expression-attribute-values "{\":pk\": {\"S\": \"$1\"}, \":a\": {\"S\": \"a\"}}")
	page=$(dynamodb query "${query[@]}" --max-items 3)
	token=$(jq -r .NextToken <<<"$page")
	jq -c '[.Items[].sk.S]' <<<"$page"
	dynamodb query "${query[@]}" --starting-token "$token" | jq -c '[[.Items[].sk.S], .NextToken]'
}

pages_forward() {
	same "$(pages forward scan-index-forward)" '["a1", "a2", "a3"] [["a4", "a5"], null]'
}

pages_backward() {
	same "$(pages backward no-scan-index-forward)" '["a5", "a4", "a3"] [["a2", "a1"], null]'
}

query_index() {
	local query
	same "$(call batch-write-item "$(jq -n '{RequestItems: {"clients-cli": [
		(["a", "10"], ["b", "9"], ["c", "-1"], ["d", "2.5"] | {PutRequest: {Item: {pk: {S: "index"}, sk: {S: .[0]},
			state: {S: "进行中"}, rank: {N: .[1]}, title: {S: "title \(.[0])"}, body: {S: "not projected"}}}}),
		{PutRequest: {Item: {pk: {S: "index"}, sk: {S: "sparse"}, state: {S: "进行中"}}}}]}}')")" '{"UnprocessedItems": {}}'
	query='{"TableName": "clients-cli", "IndexName": "by-state", "KeyConditionExpression": "#s = :s AND #r > :r",
		"ExpressionAttributeNames": {"#s": "state", "#r": "rank"},
		"ExpressionAttributeValues": {":s": {"S": "进行中"}, ":r": {"N": "-1"}}, "ReturnConsumedCapacity": "INDEXES"}'
	same "$(call query "$query" --no-paginate)" "$(jq -n '{
		Count: 3, ScannedCount: 3,
		Items: [["d", "2.5"], ["b", "9"], ["a", "10"] | {pk: {S: "index"}, sk: {S: .[0]}, state: {S: "进行中"},
			rank: {N: .[1]}, title: {S: "title \(.[0])"}}],
		ConsumedCapacity: {TableName: "clients-cli", CapacityUnits: 0.5, Table: {CapacityUnits: 0},
			GlobalSecondaryIndexes: {"by-state": {CapacityUnits: 0.5}}}}')"
}

batches() {
	local got
	same "$(call batch-write-item '{"RequestItems": {"clients-cli": [
		{"PutRequest": {"Item": {"pk": {"S": "batch"}, "sk": {"S": "1"}, "v": {"N": "1"}, "w": {"S": "w"}}}},
		{"PutRequest": {"Item": {"pk": {"S": "batch"}, "sk": {"S": "2"}, "v": {"N": "2"}}}}]}}')" '{"UnprocessedItems": {}}'
	same "$(call batch-write-item '{"RequestItems": {"clients-cli": [
		{"DeleteRequest": {"Key": {"pk": {"S": "batch"}, "sk": {"S": "2"}}}},
		{"PutRequest": {"Item": {"pk": {"S": "batch"}, "sk": {"S": "3"}, "v": {"N": "3"}}}}]}}')" '{"UnprocessedItems": {}}'
	got=$(call batch-get-item '{"RequestItems": {"clients-cli": {"ProjectionExpression": "sk, v", "ConsistentRead": true, "Keys": [
		{"pk": {"S": "batch"}, "sk": {"S": "1"}}, {"pk": {"S": "batch"}, "sk": {"S": "2"}}, {"pk": {"S": "batch"}, "sk": {"S": "3"}}]}}}')
	same "$(jq '.Responses["clients-cli"] |= sort_by(.sk.S)' <<<"$got")" '{"UnprocessedKeys": {}, "Responses": {"clients-cli": [
		{"sk": {"S": "1"}, "v": {"N": "1"}}, {"sk": {"S": "3"}, "v": {"N": "3"}}]}}'
}

transaction() {
	local write
	same "$(call batch-write-item '{"RequestItems": {"clients-cli": [
		{"PutRequest": {"Item": {"pk": {"S": "transaction"}, "sk": {"S": "update"}, "n": {"N": "1"}}}},
		{"PutRequest": {"Item": {"pk": {"S": "transaction"}, "sk": {"S": "delete"}}}}]}}')" '{"UnprocessedItems": {}}'
	write='{"TransactItems": [
		{"Put": {"TableName": "clients-cli", "Item": {"pk": {"S": "transaction"}, "sk": {"S": "put"}}}},
		{"Update": {"TableName": "clients-cli", "Key": {"pk": {"S": "transaction"}, "sk": {"S": "update"}},
			"UpdateExpression": "SET n = n + :one", "ExpressionAttributeValues": {":one": {"N": "1"}}}},
		{"Delete": {"TableName": "clients-cli", "Key": {"pk": {"S": "transaction"}, "sk": {"S": "delete"}}}},
		{"ConditionCheck": {"TableName": "clients-cli", "Key": {"pk": {"S": "transaction"}, "sk": {"S": "absent"}},
			"ConditionExpression": "attribute_not_exists(pk)"}}]}'
	same "$(call transact-write-items "$write")" ''
	same "$(call transact-get-items '{"TransactItems": [
		{"Get": {"TableName": "clients-cli", "Key": {"pk": {"S": "transaction"}, "sk": {"S": "put"}}}},
		{"Get": {"TableName": "clients-cli", "Key": {"pk": {"S": "transaction"}, "sk": {"S": "update"}}}},
		{"Get": {"TableName": "clients-cli", "Key": {"pk": {"S": "transaction"}, "sk": {"S": "delete"}}}}]}')" '{"Responses": [
		{"Item": {"pk": {"S": "transaction"}, "sk": {"S": "put"}}},
		{"Item": {"pk": {"S": "transaction"}, "sk": {"S": "update"}, "n": {"N": "2"}}},
		{}]}'
}

cancelled_transaction() {
	local there='{"pk": {"S": "cancelled"}, "sk": {"S": "there"}, "owner": {"S": "李娜"}}'
	call put-item "{\"TableName\": \"clients-cli\", \"Item\": $there}"
	refused TransactionCanceledException "Transaction cancelled, please refer cancellation reasons for specific reasons \
[None, ConditionalCheckFailed, ConditionalCheckFailed]" transact-write-items '{"TransactItems": [
		{"Put": {"TableName": "clients-cli", "Item": {"pk": {"S": "cancelled"}, "sk": {"S": "new"}}}},
		{"Delete": {"TableName": "clients-cli", "Key": {"pk": {"S": "cancelled"}, "sk": {"S": "there"}},
			"ConditionExpression": "attribute_not_exists(pk)", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}},
		{"ConditionCheck": {"TableName": "clients-cli", "Key": {"pk": {"S": "cancelled"}, "sk": {"S": "absent"}},
			"ConditionExpression": "attribute_exists(pk)"}}]}'
	same "$(jq .CancellationReasons <<<"$body")" "[
		{\"Code\": \"None\"},
		{\"Code\": \"ConditionalCheckFailed\", \"Message\": \"The conditional request failed\", \"Item\": $there},
		{\"Code\": \"ConditionalCheckFailed\", \"Message\": \"The conditional request failed\"}]"
	same "$(call query '{"TableName": "clients-cli", "KeyConditionExpression": "pk = :pk", "ConsistentRead": true,
		"ExpressionAttributeValues": {":pk": {"S": "cancelled"}}}' --query Items)" "[$there]"
}

update_expressions() {
	call put-item '{"TableName": "clients-cli", "Item": {"pk": {"S": "update"}, "sk": {"S": "1"}, "n": {"N": "5"},
		"obsolete": {"S": "x"}, "tags": {"SS": ["a", "b", "c"]}, "log": {"L": [{"S": "first"}]},
		"address": {"M": {"城市": {"S": "北京"}}}}}'
	same "$(call update-item '{"TableName": "clients-cli", "Key": {"pk": {"S": "update"}, "sk": {"S": "1"}},
		"UpdateExpression": "SET n = n - :one, #l = list_append(#l, :tail), visits = if_not_exists(visits, :zero) + :one, address.#c = :city REMOVE obsolete ADD score :points, seen :seen DELETE tags :gone",
		"ExpressionAttributeNames": {"#l": "log", "#c": "城市"},
		"ExpressionAttributeValues": {":zero": {"N": "0"}, ":one": {"N": "1"}, ":points": {"N": "0.1"},
			":tail": {"L": [{"S": "next"}]}, ":city": {"S": "上海"}, ":seen": {"NS": ["2", "1"]}, ":gone": {"SS": ["b", "c"]}},
		"ReturnValues": "ALL_NEW"}')" '{"Attributes": {"pk": {"S": "update"}, "sk": {"S": "1"},
		"n": {"N": "4"}, "visits": {"N": "1"}, "score": {"N": "0.1"}, "seen": {"NS": ["1", "2"]}, "tags": {"SS": ["a"]},
		"log": {"L": [{"S": "first"}, {"S": "next"}]}, "address": {"M": {"城市": {"S": "上海"}}}}}'
}

parallel_scan() {
	local names segment scans=()
	names=$(jq -nc '[range(12) | "\(. + 10)"]')
	same "$(call batch-write-item "$(jq '{RequestItems: {"clients-cli":
		[.[] | {PutRequest: {Item: {pk: {S: "scan#\(.)"}, sk: {S: "1"}, scanned: {S: .}}}}]}}' <<<"$names")")" '{"UnprocessedItems": {}}'
	for segment in 0 1 2; do
		dynamodb scan --table-name clients-cli --segment "$segment" --total-segments 3 --page-size 4 \
			--filter-expression 'attribute_exists(scanned)' --query 'Items[].scanned.S' >"$scratch/segment$segment" &
		scans+=("$!")
	done
	for segment in "${scans[@]}"; do wait "$segment"; done
	same "$(jq -s 'add | sort' "$scratch"/segment[012])" "$names"
	same "$(jq -s 'map(length < 12) | all' "$scratch"/segment[012])" true
}

missing_table() {
	refused ResourceNotFoundException 'Requested resource not found' \
		get-item '{"TableName": "clients-missing", "Key": {"pk": {"S": "a"}, "sk": {"S": "b"}}}'
	refused ResourceNotFoundException 'Requested resource not found: Table: clients-missing not found' \
		describe-table '{"TableName": "clients-missing"}'
}

bad_expressions() {
	refused ValidationException \
		'1 validation error detected: Invalid UpdateExpression: Syntax error; token: "INVALID", near: "INVALID SYNTAX"' \
		update-item '{"TableName": "clients-cli", "Key": {"pk": {"S": "bad"}, "sk": {"S": "1"}}, "UpdateExpression": "INVALID SYNTAX"}'
	refused ValidationException 'Invalid FilterExpression: Attribute name is a reserved keyword; reserved keyword: size' \
		scan '{"TableName": "clients-cli", "FilterExpression": "size = :v", "ExpressionAttributeValues": {":v": {"N": "1"}}}'
}

delete_table() {
	same "$(dynamodb delete-table --table-name clients-cli --query 'TableDescription.[TableName, TableStatus]')" \
		'["clients-cli", "DELETING"]'
	dynamodb wait table-not-exists --table-name clients-cli
	refused ResourceNotFoundException 'Requested resource not found: Table: clients-cli not found' \
		delete-table '{"TableName": "clients-cli"}'
}

readonly CASES=(
	"create a table with an index" create_table
	"every type of attribute" every_type
	"conditional writes" conditional_writes
	"pages forward" pages_forward
	"pages backward" pages_backward
	"query an index" query_index
	"batches" batches
	"a transaction" transaction
	"a cancelled transaction" cancelled_transaction
	"update expressions" update_expressions
	"parallel scan" parallel_scan
	"a missing table" missing_table
	"bad expressions" bad_expressions
	"delete the table" delete_table
)

main() {
	local i status passed=0 failed=0
	echo "clients cli: $("$AWS" --version)"
	for ((i = 0; i < ${#CASES[@]}; i += 2)); do
		# Not as the condition of an if, where bash would ignore set -e within.
		set +e
		(
			set -e
			"${CASES[i + 1]}"
		) >"$scratch/log" 2>&1
		status=$?
		set -e
		if ((status == 0)); then
			passed=$((passed + 1))
			echo "clients cli: ${CASES[i]}: ok"
		else
			failed=$((failed + 1))
			echo "clients cli: ${CASES[i]}: FAILED"
			cat "$scratch/log"
		fi
	done
	echo "clients cli: $passed passed, $failed failed"
	((failed == 0))
}

main
