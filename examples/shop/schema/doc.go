// Package schema is the shop's single-table design: users, addresses, orders,
// products and versions of documents in one table, AppTable.
//
//	entity    PK                   SK                 indexes
//	User      USER#<id>            PROFILE            GSI1 EMAIL#<e-mail> / USER#<id>
//	Address   USER#<user>          ADDRESS#<label>
//	Order     USER#<user>          ORDER#<id>         GSI1 ORDER_STATUS#<status> / <time>#<id>
//	                                                  GSI_Order ORDER#<id>
//	                                                  GSI_Date ORDER_DATE#<day> / <time>#<id>
//	                                                  GSI_User_Orders USER#<user> / <time>#<id>
//	                                                  GSI_Product_Orders PROD#<product> / <time>#<id>
//	Product   PROD#<id>            PRODUCT
//	Document  DOC#<name>           v<major>.<minor>
//
// Everything of a user lies in one partition. GSI1 is overloaded: e-mail
// addresses and order states share it. GSI_Product_Orders is sparse: an order
// without a product, such as a gift card, has no entry. An e-mail address is
// unique: it has a marker item of its own, which the typed layer keeps.
package schema
