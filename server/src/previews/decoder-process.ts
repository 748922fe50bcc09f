import { closeSync, readFileSync } from 'node:fs'
import { memoryFile, sendDescriptor, socketPair } from '../programs/descriptors.ts'
import { type Service, startService } from '../programs/run.ts'
import type { OpenFile } from '../storage/port.ts'
import { decodeHeader, type Frame, headerSize, type Task } from './decoder/wire.ts'

export interface ProcessLimits {
  /** Milliseconds until it must be ready, and for one picture. */
  startLimit: number
  timeLimit: number
  /** Bytes that may be resident, beside the file that it reads. */
  memoryLimit: number
  /** How often its memory is measured, in milliseconds. */
  watchEvery: number
}

/** The process has ended, or was ended because of its time or memory: it takes no further task. */
export class DecoderLost extends Error {
  constructor(readonly reason: 'start' | 'exit' | 'time' | 'memory') {
    super(`The decoder was lost: ${reason}`)
  }
}

/** A child process that takes one task at a time. */
export interface DecoderProcess {
  /** Resolves when it is ready; the frame says whether it can work at all. */
  readonly ready: Promise<Frame>
  readonly exited: Promise<unknown>
  /** The child gets a descriptor of its own; this one may be closed as soon as the call has returned. */
  decode(task: Task, descriptor: number, fileSize: number): Promise<Frame>
  end(): void
}

const pageSize = 4096

export function startDecoder(
  command: { argv: readonly string[]; environment: Readonly<Record<string, string>> },
  limits: ProcessLimits,
): DecoderProcess {
  const [parentEnd, childEnd] = socketPair()
  let child: Service
  try {
    child = startService({ ...command, folder: '/', input: childEnd })
  } catch (error) {
    closeSync(parentEnd)
    throw error
  } finally {
    closeSync(childEnd)
  }
  let isOpen = true
  const end = () => {
    child.end()
    if (isOpen) closeSync(parentEnd)
    isOpen = false
  }
  void child.exited.then(end)
  const frames = frameReader(child.output)

  /** The next frame, or the loss of the child: by its own end, by time, or by memory. */
  async function nextFrame(limit: number, mostMemory: number): Promise<Frame> {
    let lost: DecoderLost['reason'] = 'exit'
    const stop = (reason: DecoderLost['reason']) => {
      lost = reason
      end()
    }
    const timer = setTimeout(() => stop('time'), limit)
    const watch = setInterval(() => residentMemory(child.pid) > mostMemory && stop('memory'), limits.watchEvery)
    try {
      const frame = await frames.next()
      if (frame !== undefined) return frame
    } finally {
      clearTimeout(timer)
      clearInterval(watch)
    }
    end()
    throw new DecoderLost(lost)
  }

  const ready = nextFrame(limits.startLimit, limits.memoryLimit).catch(() => {
    throw new DecoderLost('start')
  })
  ready.catch(() => {})
  return {
    ready,
    exited: child.exited,
    async decode(task, descriptor, fileSize) {
      if (!isOpen || !sendDescriptor(parentEnd, JSON.stringify(task), descriptor)) {
        end()
        throw new DecoderLost('exit')
      }
      return nextFrame(limits.timeLimit, limits.memoryLimit + fileSize)
    },
    end,
  }
}

/** In bytes; 0 for a process that has ended. */
function residentMemory(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * pageSize
  } catch {
    return 0
  }
}

/** Undefined at the end of the stream, and for anything that is not exactly one frame. */
function frameReader(output: ReadableStream<Uint8Array<ArrayBuffer>>): { next(): Promise<Frame | undefined> } {
  const reader = output.getReader()
  return {
    async next() {
      const pieces: Uint8Array[] = []
      let [received, wanted] = [0, headerSize]
      let header: ReturnType<typeof decodeHeader>
      while (received < wanted) {
        const { done, value } = await reader.read().catch(() => ({ done: true as const, value: undefined }))
        if (done) return undefined
        pieces.push(value)
        received += value.length
        if (header !== undefined || received < headerSize) continue
        header = decodeHeader(Buffer.concat(pieces))
        if (header === undefined) return undefined
        wanted = headerSize + header.length
      }
      if (header === undefined || received > wanted) return undefined
      return { outcome: header.outcome, body: new Uint8Array(Buffer.concat(pieces)).subarray(headerSize) }
    },
  }
}

/** Work that needs a descriptor: that of the file, or one of a copy in memory. */
export async function withDescriptor<T>(file: OpenFile, work: (descriptor: number) => Promise<T>): Promise<T> {
  const descriptor = descriptorOf(file)
  if (descriptor !== undefined) return work(descriptor)
  return inMemory(file.bytes ?? new Uint8Array(await file.content.arrayBuffer()), work)
}

export async function inMemory<T>(bytes: Uint8Array, work: (descriptor: number) => Promise<T>): Promise<T> {
  const descriptor = memoryFile(bytes)
  try {
    return await work(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** The descriptor of an open file on a disk, which stays that file when its name is given to another. */
function descriptorOf({ content }: OpenFile): number | undefined {
  const { name = '' } = content as { name?: string }
  const number = /^\/proc\/self\/fd\/(\d+)$/.exec(name)?.[1]
  return number === undefined ? undefined : Number(number)
}
