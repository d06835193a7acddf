// Serves dynalite, in memory, on a free port of the loopback interface, and prints
// its address.

import dynalite from 'dynalite'

const server = dynalite({ createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 })
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))
process.on('SIGTERM', () => process.exit(0))
