import { closeSync, readFileSync, writeSync } from 'node:fs'
import { isFailure } from '../../failure.ts'
import { receiveDescriptor } from '../../programs/descriptors.ts'
import { limitResource } from '../../programs/system.ts'
import { contentOf } from './content.ts'
import { imageLibrary, LargeImage, resize } from './resize.ts'
import { encodeFrame, type Outcome, type Task } from './wire.ts'

// The decoder process, which reads files that may be crafted to exploit a decoder: it takes one task after the other from
// the socket on standard input and answers on standard output. It does nothing else, so synchronous calls block nothing.

const socket = 0
const pageSize = 4096

await start(Number(process.argv[2]))
for (let next = receiveDescriptor(socket); next !== undefined; next = receiveDescriptor(socket)) {
  answer(...(await work(JSON.parse(next.message), next.descriptor)))
}

/** Loads the library, then allows so many more bytes than it has taken: the runtime alone reserves several gigabytes. */
async function start(memory: number): Promise<void> {
  try {
    const sharp = await imageLibrary()
    // Starts the threads, whose stacks count as data.
    const sample = { create: { width: 64, height: 64, channels: 3, background: 'white' } } as const
    await sharp(sample).resize(32).webp().toBuffer()
    limitResource('DATA', reservedData() + memory)
    answer('ready', new Uint8Array())
  } catch {
    answer('unavailable', new TextEncoder().encode('The image library does not run on this machine'))
    process.exit(1)
  }
}

function reservedData(): number {
  return Number(readFileSync('/proc/self/statm', 'utf8').split(' ')[5]) * pageSize
}

async function work(task: Task, descriptor: number): Promise<[Outcome, Uint8Array]> {
  try {
    using content = contentOf(descriptor, task.source)
    return ['picture', await resize(content.bytes, task)]
  } catch (error) {
    if (error instanceof LargeImage) return ['large', new Uint8Array()]
    const message = error instanceof Error ? error.message : String(error)
    return [isFailure(error, 'too-large') ? 'too-large' : 'invalid', new TextEncoder().encode(message)]
  } finally {
    closeSync(descriptor)
  }
}

function answer(outcome: Outcome, body: Uint8Array): void {
  const frame = encodeFrame(outcome, body)
  for (let at = 0; at < frame.length; ) at += writeSync(1, frame, at)
}
