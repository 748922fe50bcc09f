import { expect, mock, test } from 'bun:test'
import { act, fireEvent, render, screen } from '../component-dom.ts'
import { needTexts } from '../i18n/i18n.ts'
import { createStore } from '../state/store.ts'
import type { ActivityStatus } from './activities.ts'
import { WorkDialog } from './WorkDialog.tsx'

const click = (name: string) => act(async () => void fireEvent.click(screen.getByRole('button', { name })))

test('a job that asks is answered from its dialog, which gives way to the question', async () => {
  await needTexts('jobs')
  const status = createStore<ActivityStatus>({ title: 'Copying 3 items', text: '', progress: 0, state: 'running' })
  const [answerJob, close] = [mock(() => {}), mock(() => {})]
  const activity = { kind: 'copy', status, cancel: () => {}, answer: answerJob } as const
  render(<WorkDialog activity={activity} finished={new Promise(() => {})} answer={close} />)
  expect(screen.queryByRole('button', { name: 'Answer' })).toBeNull()
  await act(async () => status.set({ ...status.get(), state: 'waiting', isAsking: true }))
  await click('Answer')
  expect([close.mock.calls.length, answerJob.mock.calls.length]).toEqual([1, 1])
})
