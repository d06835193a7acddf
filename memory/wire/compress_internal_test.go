package wire

import "testing"

// The choices of the service for headers of all kinds, well formed or not.
func TestNegotiate(t *testing.T) {
	t.Parallel()
	for accept, want := range map[string]string{
		"":                                     "",
		"gzip":                                 "gzip",
		"deflate":                              "deflate",
		"identity":                             "",
		"br":                                   "",
		"x-gzip":                               "",
		"gzip, deflate":                        "gzip",
		"br, identity, deflate, gzip":          "deflate",
		"GZIP, identity":                       "gzip",
		"dog, gzip ,, cat":                     "gzip",
		"gzip;q=0.8, deflate;q=0.5":            "gzip",
		"deflate;q=0.5, gzip;q=0.2":            "deflate",
		"br, gzip;q=0, deflate; q = 0.5":       "deflate",
		"gzip ;q=0":                            "",
		"identity;q=0":                         "",
		"gzip;q=0.5,identity;q=0.8":            "gzip",
		"*":                                    "gzip",
		"*;q=0":                                "",
		"*, deflate":                           "deflate",
		"*, deflate;q=0.5":                     "gzip",
		"*, gzip;q=0.5":                        "deflate",
		"*;q=0.5,identity":                     "gzip",
		"br;q=0.8,identity;q=0.5,*;q=0":        "",
		`"gzip"`:                               "",
		"gzip br":                              "",
		"gzip:q=1":                             "",
		"deflate;q=0.5, gzip;q=31":             "gzip",
		"gzip;q=31,deflate;q=51":               "gzip",
		"deflate;q=0.5, gzip;q=1;q=0.2":        "gzip",
		"deflate;q=0.5,gzip;q=0.":              "deflate",
		"deflate;q=0.5,gzip;q=0.x":             "gzip",
		"deflate;q=-0.5,gzip;q=0.2":            "gzip",
		"gzip;q =0;q=1":                        "gzip",
		"gzip;nq=0;q=1":                        "",
		"gzip;nq=1;q=0 ":                       "gzip",
		"gzip;q=0, gzip;q=1, gzip;q=0":         "gzip",
		"br,identity;q=0.5,gzip;q=0.0001":      "gzip",
		"gzip;q=NaN":                           "",
		"deflate;q=0.1,gzip;q=0.1;level=9,*":   "deflate",
		"deflate;q=0.1,gzip;q=0.1;level=9,*;q": "deflate",
	} {
		if got := negotiate(accept); got != want {
			t.Errorf("negotiate(%q) = %q, want %q", accept, got, want)
		}
	}
}
