import { beforeEach, expect, test } from 'bun:test'
import { act, fireEvent, render, screen } from '../component-dom.ts'
import '../i18n/i18n.ts'
import { endScope } from '../state/session-scope.ts'
import { ask, isAsking, type QuestionProps } from './ask.ts'
import { DialogStack } from './DialogStack.tsx'
import { QuestionDialog } from './QuestionDialog.tsx'

function Question({ title, answer }: QuestionProps<{ title: string }, string>) {
  return (
    <QuestionDialog
      title={title}
      answer={answer}
      actions={
        <button type="button" onClick={() => answer(`yes to ${title}`)}>
          Yes
        </button>
      }
    >
      <input aria-label="Reason" data-autofocus="" />
    </QuestionDialog>
  )
}

/** Asks inside of React's batch, so that the dialog is there afterwards. */
async function asking(title: string): Promise<{ answer: Promise<string | null> }> {
  let answer: Promise<string | null> = Promise.resolve(null)
  await act(async () => {
    answer = ask(Question, { title })
    await Promise.resolve()
  })
  return { answer }
}

const dialogs = () => screen.queryAllByRole('dialog', { hidden: true }).map((each) => each.textContent?.slice(0, 5))
const press = (key: string) => act(async () => void fireEvent.keyDown(document.activeElement ?? document.body, { key }))
const click = (name: string) => act(async () => void fireEvent.click(screen.getByRole('button', { name })))

beforeEach(() => {
  render(
    <main id="content">
      <button type="button">Behind</button>
    </main>,
  )
  render(<DialogStack />)
})

test('a question is answered by its button, and the focus returns to where it was', async () => {
  const behind = screen.getByRole('button', { name: 'Behind' })
  behind.focus()
  const { answer } = await asking('First')
  expect(isAsking()).toBe(true)
  expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Reason' }))
  await click('Yes')
  expect(await answer).toBe('yes to First')
  expect(isAsking()).toBe(false)
  expect(document.activeElement).toBe(behind)
})

test('Escape and Cancel answer only the question on top', async () => {
  const first = await asking('First')
  const second = await asking('Other')
  expect(dialogs()).toEqual(['First', 'Other'])
  await press('Escape')
  expect(await second.answer).toBeNull()
  expect(dialogs()).toEqual(['First'])

  const third = await asking('Third')
  await click('Cancel')
  expect(await third.answer).toBeNull()
  expect(dialogs()).toEqual(['First'])
  await click('Yes')
  expect(await first.answer).toBe('yes to First')
})

test('the end of a session leaves all its questions unanswered', async () => {
  const first = await asking('First')
  const second = await asking('Other')
  await act(async () => endScope('cut-off'))
  expect(await Promise.all([first.answer, second.answer])).toEqual([null, null])
  expect(isAsking()).toBe(false)
})
