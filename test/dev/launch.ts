import { startPostgres } from '../../dev/postgres.js'

// Run by the launcher's tests as a process of its own: starts the server of the folder given, says so and stays.
const server = await startPostgres({ directory: process.argv[2] ?? '' })
console.log(JSON.stringify(server))
process.stdin.resume()
