import { expect, test } from 'bun:test'
import { type Channel, channelOver } from './channel.ts'

/** Two ends, with JSON between them as between processes. */
function pair(): [Channel, Channel] {
  const left: Channel = channelOver((message) => right.take(JSON.parse(JSON.stringify(message))))
  const right: Channel = channelOver((message) => left.take(JSON.parse(JSON.stringify(message))))
  return [left, right]
}

const refusal = (asked: Promise<unknown>) =>
  asked.then(
    () => undefined,
    (error: Error) => error.message,
  )

test('questions of both ends are answered, each with its own answer', async () => {
  const [left, right] = pair()
  right.answer('double', async (value) => {
    await Bun.sleep(value === 1 ? 5 : 0)
    return 2 * Number(value)
  })
  left.answer('name', () => 'left')
  expect(await Promise.all([left.ask('double', 1), left.ask('double', 2), right.ask('name')])).toEqual([2, 4, 'left'])
  expect(await left.ask('what nothing answers')).toBeUndefined()
})

test('an error is told as such, and one who is gone answers nothing', async () => {
  const [left, right] = pair()
  right.answer('fail', () => {
    throw new Error('no room')
  })
  right.answer('wait', () => new Promise(() => {}))
  expect(await refusal(left.ask('fail'))).toBe('no room')
  expect(await left.askFor(1, 'wait')).toBeUndefined()
  const [waiting, patient] = [left.ask('wait'), left.askFor(60_000, 'wait')]
  left.close()
  expect(await refusal(waiting)).toBe('The other process has ended')
  expect(await patient).toBeUndefined()
  expect(await refusal(left.ask('wait'))).toBe('The other process has ended')
})
