import { expect, test } from 'bun:test'
import { Errno } from '../linux/errno.ts'
import { linuxKernel, O } from '../linux/kernel.ts'
import { parsePath, rootPath } from '../path.ts'
import { breakingAfter, faultyKernel, faultyStorage } from './faulty.ts'
import { memoryStorage } from './memory.ts'
import { piecesOf } from './subject.fixture.ts'

test('the nth call of a faulty storage breaks, whichever verb it is, and no other', async () => {
  const calls = [
    () => storage.createFolder(parsePath('/a')),
    () => storage.write(parsePath('/a/b'), piecesOf('x'), { precondition: 'absent' }),
    () => storage.beneath(parsePath('/a')).stat(rootPath),
    () => storage.list(rootPath),
  ]
  let storage = memoryStorage() as ReturnType<typeof faultyStorage>
  for (let failingCall = 1; failingCall <= calls.length + 1; failingCall += 1) {
    const inner = memoryStorage()
    await inner.createFolder(parsePath('/a'))
    storage = faultyStorage(inner, failingCall)
    const outcomes = []
    for (const call of calls)
      outcomes.push(
        await call().then(
          () => 'done',
          (error: Error) => error.message,
        ),
      )
    expect(outcomes).toEqual(calls.map((_, at) => (at + 1 === failingCall ? 'the disk broke' : 'done')))
  }
})

test('a faulty kernel fails at the nth call, once or from then on', async () => {
  const outcomes = async (lasting: boolean) => {
    const kernel = faultyKernel(linuxKernel(), 2, 'ENOSPC', { lasting })
    const fd = kernel.open(-1, '/', O.RDONLY | O.DIRECTORY)
    const failures = [await kernel.read(fd, new Uint8Array(1), 0).catch((error) => error)]
    try {
      failures.push(kernel.statOpen(fd).links > 0)
    } catch (error) {
      failures.push(error)
    }
    kernel.close(fd)
    return failures.map((failure) => (failure instanceof Errno ? failure.code : failure))
  }
  expect(await outcomes(false)).toEqual(['ENOSPC', true])
  expect(await outcomes(true)).toEqual(['ENOSPC', 'ENOSPC'])
})

test('a connection breaks after so many bytes', async () => {
  let text = ''
  const reading = async () => {
    for await (const piece of breakingAfter(7, piecesOf('0123456789'))) text += Buffer.from(piece).toString()
  }
  await expect(reading()).rejects.toThrow('the connection broke')
  expect(text).toBe('0123456')
})
