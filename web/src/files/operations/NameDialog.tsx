import { useQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useCallback, useEffect, useId, useRef, useState } from 'react'
import type { QuestionProps } from '../../dialogs/ask.ts'
import { QuestionDialog } from '../../dialogs/QuestionDialog.tsx'
import { describeFailure, showFailure } from '../../dialogs/show-failure.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { isAbort } from '../../server/client.ts'
import { isFolder, resourceQuery } from '../../server/queries/resources.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { TextField } from '../../ui/Field.tsx'
import { PlacedDialog } from '../../ui/PlacedDialog.tsx'
import styles from './NameDialog.module.css'
import { nameProblem } from './name-problem.ts'

export interface NameQuestion {
  title: string
  label: string
  submitLabel: string
  /** Where the name has to be free. */
  folder: string
  /** The name so far. Leaving it as it is changes nothing, so that cannot be submitted. */
  oldName?: string
  /** A name to begin with, which can be taken as it is. */
  suggested?: string
  /** How many of its characters are selected at first. */
  selected?: number
  help: (name: string) => ReactNode
  /** The dialog lies over the old name, where a row in view shows it. */
  isInRow?: boolean
  /** A name that was refused after the dialog had closed, and why. */
  refused?: { name: string; reason: string }
  /** Does what was asked for. The dialog stays until it is done, and says why it could not be. */
  submit?: (name: string) => Promise<unknown>
}

/** Asks for a name, and answers it; with `submit`, when that is done. */
export function NameDialog({ answer, ...question }: QuestionProps<NameQuestion, string>) {
  const { title, submitLabel, oldName, help, isInRow = false } = question
  const { t } = useTranslation()
  const { name, isBusy, isUnchanged, hasProblem, field, form } = useNameForm(question, answer)
  const [over] = useState(() => (isInRow && oldName !== undefined ? nameOnScreen(oldName) : null))
  const isNothingNew = oldName !== undefined && (isUnchanged || name === '')

  if (over !== null)
    return (
      <PlacedDialog title={title} at={over} onClose={() => answer(null)}>
        <form {...form} className={styles.line}>
          <TextField {...field} isLabelHidden />
          <IconButton icon="check" label={submitLabel} type="submit" isBusy={isBusy} disabled={isNothingNew} />
          <IconButton icon="x" label={t('buttons.cancel')} hint="Esc" onClick={() => answer(null)} />
        </form>
      </PlacedDialog>
    )
  return (
    <QuestionDialog
      title={title}
      width={(oldName ?? question.suggested) === undefined ? 'narrow' : 'normal'}
      answer={answer}
      actions={
        <Button
          look={hasProblem ? 'line' : 'primary'}
          type="submit"
          form={form.id}
          isBusy={isBusy}
          disabled={isNothingNew}
        >
          {submitLabel}
        </Button>
      }
    >
      <form {...form}>
        <TextField {...field} help={help(name)} />
      </form>
    </QuestionDialog>
  )
}

/** The field and the form of the dialog, wherever it lies. */
function useNameForm(question: NameQuestion, answer: Answer) {
  const { label, folder, oldName, suggested = '', selected = 0, refused, submit } = question
  const { t } = useTranslation()
  const id = useId()
  const [text, setText] = useState(refused?.name ?? oldName ?? suggested)
  const [isBusy, setIsBusy] = useState(false)
  const [refusal, setRefusal] = useState(refused?.reason)
  const isTaken = useTakenNames(folder)
  const isOpen = useRef(true)

  useEffect(() => {
    isOpen.current = true
    return () => {
      isOpen.current = false
    }
  }, [])

  const name = text.trim()
  const isUnchanged = name === oldName
  const problem = isUnchanged ? null : nameProblem(name, isTaken)
  const error = refusal ?? (problem === null ? undefined : t(`change.${problem}`))
  const selectStem = useCallback((input: HTMLInputElement | null) => input?.setSelectionRange(0, selected), [selected])

  async function onSubmit(event: FormEvent) {
    event.preventDefault()
    // What is wrong with a name stands below it already.
    if (name === '' || isUnchanged || problem !== null || isBusy) return
    setIsBusy(true)
    try {
      await submit?.(name)
      answer(name)
    } catch (failure) {
      if (!isOpen.current) return showFailure(failure)
      if (!isAbort(failure)) setRefusal(describeFailure(failure))
      setIsBusy(false)
    }
  }

  const field = {
    ref: selectStem,
    label,
    ...(error !== undefined && { error }),
    value: text,
    spellCheck: false,
    autoCapitalize: 'none',
    'data-autofocus': '',
    onChange(event: { target: { value: string } }) {
      setText(event.target.value)
      setRefusal(undefined)
    },
  }
  return { name, isBusy, isUnchanged, hasProblem: problem !== null, field, form: { id, onSubmit } }
}

type Answer = (name: string | null) => void

/** What is known of the folder says at once which names are taken; the server has the last word. */
function useTakenNames(folder: string): (name: string) => boolean {
  const { data } = useQuery({ ...resourceQuery(folder), enabled: false })
  return (name) => data !== undefined && isFolder(data) && data.items.some((entry) => entry.name === name)
}

/** With a mouse, and in a list that shows the row. Fingers, the editor and viewers have the usual dialog. */
function nameOnScreen(name: string): Element | null {
  if (matchMedia('(max-width: 736px), (pointer: coarse)').matches) return null
  const row = document.querySelector(`#listing [role="row"][aria-label="${CSS.escape(name)}"]`)
  const list = row?.closest('main')
  if (row == null || list == null) return null
  const [own, around] = [row.getBoundingClientRect(), list.getBoundingClientRect()]
  const isInView = own.top < around.bottom && own.bottom > around.top
  return isInView ? row.querySelector('[role="gridcell"] bdi') : null
}
