// Package byhand is what a patient person writes to store one type: code without
// loops over fields, tags or reflection, and so what codecs are measured against.
package byhand
