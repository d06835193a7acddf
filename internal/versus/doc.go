// Package versus measures several ways to do the same work against each other in
// one benchmark, by the processor time that they take: on a machine that does
// other things at the same time, time on the clock says little.
package versus
