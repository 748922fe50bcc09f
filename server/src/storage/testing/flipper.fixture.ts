import { libc, other, SYS, text } from '../linux/libc.ts'

// A program of its own: exchanges two names again and again until it is killed.
const [one = '', two = ''] = process.argv.slice(2)
const RENAME_EXCHANGE = 2
for (;;) libc.syscall(SYS.renameat2, -1, text(one), -1, other(two), RENAME_EXCHANGE)
