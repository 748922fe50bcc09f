import type { ReactNode } from 'react'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import type { QuestionProps } from './ask.ts'

interface Question {
  title: string
  text: ReactNode
  cancel: string
  /** The label of the button that does it. */
  confirm: string
}

/** "Are you sure?" before something that cannot be taken back. Answers true, or null. */
export function Confirmation({ title, text, cancel, confirm, answer }: QuestionProps<Question, true>) {
  return (
    <Dialog
      title={title}
      isAlert
      width="narrow"
      onClose={() => answer(null)}
      actions={
        <>
          <Button onClick={() => answer(null)}>{cancel}</Button>
          <Button look="danger" onClick={() => answer(true)}>
            {confirm}
          </Button>
        </>
      }
    >
      {text}
    </Dialog>
  )
}
