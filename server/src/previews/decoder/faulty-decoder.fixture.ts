import { closeSync, fstatSync, readSync, writeSync } from 'node:fs'
import { receiveDescriptor } from '../../programs/descriptors.ts'
import { call } from '../../programs/system.ts'
import { encodeFrame } from './wire.ts'

// Stands in for the decoder in tests: the last word of a file says what happens to the process that reads it. All other
// pictures consist of the number of the process that made them.

const PR_SET_NAME = 15
const wordLength = 5
const answer = (outcome: 'ready' | 'picture', body = '') => writeSync(1, encodeFrame(outcome, Buffer.from(body)))

const acts: Record<string, () => void> = {
  crash: () => process.kill(process.pid, 'SIGSEGV'),
  exits: () => process.exit(0),
  hangs: () => Bun.sleepSync(1_000_000),
  grows() {
    const held: Buffer[] = []
    for (;;) held.push(Buffer.alloc(8 << 20, 1))
  },
  junk_: () => writeSync(1, 'GET / HTTP/1.1\r\n\r\n'),
  slow_() {
    showName('slow')
    Bun.sleepSync(500)
  },
}

/** So that a test can see from outside how far it is. */
function showName(text: string): void {
  const name = Buffer.from(new ArrayBuffer(16))
  name.write(text)
  call('prctl', PR_SET_NAME, name)
}

answer('ready')
for (let next = receiveDescriptor(0); next !== undefined; next = receiveDescriptor(0)) {
  const last = Buffer.alloc(wordLength)
  readSync(next.descriptor, last, 0, wordLength, fstatSync(next.descriptor).size - wordLength)
  closeSync(next.descriptor)
  acts[String(last)]?.()
  answer('picture', String(process.pid))
}
