package av

import (
	"slices"

	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
)

// StreamSDK returns the value in the types of the SDK for streams, which are
// others than those of [Value.SDK]. The caller owns the result.
func (v Value) StreamSDK() streamtypes.AttributeValue {
	switch v.kind {
	case S:
		return &streamtypes.AttributeValueMemberS{Value: v.text}
	case N:
		return &streamtypes.AttributeValueMemberN{Value: v.text}
	case B:
		return &streamtypes.AttributeValueMemberB{Value: []byte(v.text)}
	case BOOL:
		return &streamtypes.AttributeValueMemberBOOL{Value: v.flag}
	case NULL:
		return &streamtypes.AttributeValueMemberNULL{Value: true}
	case SS:
		return &streamtypes.AttributeValueMemberSS{Value: slices.Clone(v.sub.set)}
	case NS:
		return &streamtypes.AttributeValueMemberNS{Value: slices.Clone(v.sub.set)}
	case BS:
		blobs := make([][]byte, len(v.sub.set))
		for i, s := range v.sub.set {
			blobs[i] = []byte(s)
		}
		return &streamtypes.AttributeValueMemberBS{Value: blobs}
	case L:
		list := make([]streamtypes.AttributeValue, len(v.sub.list))
		for i, e := range v.sub.list {
			list[i] = e.StreamSDK()
		}
		return &streamtypes.AttributeValueMemberL{Value: list}
	case M:
		return &streamtypes.AttributeValueMemberM{Value: v.sub.attr.StreamSDK()}
	}
	return nil
}

// StreamSDK returns the map in the types of the SDK for streams; see
// [Value.StreamSDK].
func (m Map) StreamSDK() map[string]streamtypes.AttributeValue {
	out := make(map[string]streamtypes.AttributeValue, len(m))
	for _, a := range m {
		out[a.Name] = a.Value.StreamSDK()
	}
	return out
}
