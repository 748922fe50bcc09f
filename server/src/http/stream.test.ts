import { expect, spyOn, test } from 'bun:test'
import { Failure } from '../failure.ts'
import type { RequestContext } from './request.ts'
import { watched } from './stream.ts'

test('chunks end where the client has lost the right to them, and what they are made from is closed', async () => {
  const told: string[] = []
  async function* chunks() {
    try {
      for (const text of ['one', 'two', 'three']) yield text
    } finally {
      told.push('closed')
    }
  }
  const context = {
    connection: { keepAlive() {} },
    sent() {},
    report: () => void told.push('reported'),
    async requireStill() {
      throw new Failure('forbidden', 'Not allowed')
    },
  }
  const bytes = watched(context as unknown as RequestContext, chunks())
  expect(String((await bytes.next()).value)).toBe('one')
  const later = performance.now() + 2000
  const clock = spyOn(performance, 'now').mockReturnValue(later)
  try {
    await expect(bytes.next()).rejects.toThrow('Not allowed')
  } finally {
    clock.mockRestore()
  }
  expect(told).toEqual(['reported', 'closed'])
})
