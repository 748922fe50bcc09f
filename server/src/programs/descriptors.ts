import { ptr } from 'bun:ffi'
import { closeSync, writeSync } from 'node:fs'
import { Failure } from '../failure.ts'
import { call, fixedBuffer } from './system.ts'

const [AF_UNIX, SOCK_SEQPACKET, SOCK_CLOEXEC] = [1, 5, 0o2000000]
const [SOL_SOCKET, SCM_RIGHTS] = [1, 1]
const [MSG_DONTWAIT, MSG_NOSIGNAL, MSG_CMSG_CLOEXEC] = [0x40, 0x4000, 0x40000000]
const MFD_CLOEXEC = 1

const longestMessage = 4096
/** A header and one descriptor. */
const controlLength = 20n

// A `msghdr` of the kernel, the one buffer it names, and the control message. Every call is synchronous, so one of each
// is enough; as module constants they are alive while the kernel follows their addresses.
const [header, vector] = [fixedBuffer(56), fixedBuffer(16)]
const [bytes, control] = [fixedBuffer(longestMessage), fixedBuffer(24)]

/** Two connected sockets that keep messages apart and can carry descriptors. Neither is inherited. */
export function socketPair(): [number, number] {
  const pair = fixedBuffer(8)
  if (call('socketpair', AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
    throw new Failure('internal', 'No socket could be made')
  return [pair.readInt32LE(0), pair.readInt32LE(4)]
}

/** False where the other side is gone or takes nothing. Never waits. The receiver gets a descriptor of its own. */
export function sendDescriptor(socket: number, message: string, descriptor: number): boolean {
  const length = bytes.write(message)
  prepareHeader(length)
  control.writeBigUInt64LE(controlLength, 0)
  control.writeInt32LE(SOL_SOCKET, 8)
  control.writeInt32LE(SCM_RIGHTS, 12)
  control.writeInt32LE(descriptor, 16)
  return call('sendmsg', socket, header, MSG_DONTWAIT | MSG_NOSIGNAL) === length
}

/** Waits for the next message, on this thread; undefined when the other side has closed. */
export function receiveDescriptor(socket: number): { message: string; descriptor: number } | undefined {
  prepareHeader(longestMessage)
  control.fill(0)
  const length = call('recvmsg', socket, header, MSG_CMSG_CLOEXEC)
  if (length <= 0 || control.readBigUInt64LE(0) !== controlLength) return undefined
  return { message: bytes.toString('utf8', 0, length), descriptor: control.readInt32LE(16) }
}

/** The kernel writes into it, so it is filled anew for every call. */
function prepareHeader(length: number): void {
  header.fill(0)
  vector.writeBigUInt64LE(BigInt(ptr(bytes)), 0)
  vector.writeBigUInt64LE(BigInt(length), 8)
  header.writeBigUInt64LE(BigInt(ptr(vector)), 16)
  header.writeBigUInt64LE(1n, 24)
  header.writeBigUInt64LE(BigInt(ptr(control)), 32)
  header.writeBigUInt64LE(BigInt(control.length), 40)
}

/** Bytes as a file without a name, which is gone when its descriptor is closed. */
export function memoryFile(content: Uint8Array): number {
  const name = fixedBuffer(8)
  name.write('bytes')
  const descriptor = call('memfd_create', name, MFD_CLOEXEC)
  if (descriptor < 0) throw new Failure('internal', 'No file could be made in memory')
  try {
    for (let at = 0; at < content.length; ) at += writeSync(descriptor, content, at)
    return descriptor
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
}
