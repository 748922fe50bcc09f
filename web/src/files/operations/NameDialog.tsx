import { useQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useCallback, useEffect, useId, useRef, useState } from 'react'
import type { QuestionProps } from '../../dialogs/ask.ts'
import { QuestionDialog } from '../../dialogs/QuestionDialog.tsx'
import { describeFailure, showFailure } from '../../dialogs/show-failure.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { isAbort } from '../../server/client.ts'
import { isFolder, resourceQuery } from '../../server/queries/resources.ts'
import { Button } from '../../ui/Button.tsx'
import { TextField } from '../../ui/Field.tsx'
import { nameProblem } from './name-problem.ts'

export interface NameQuestion {
  title: string
  label: string
  submitLabel: string
  /** Where the name has to be free. */
  folder: string
  /** The name so far. Leaving it as it is changes nothing, so that cannot be submitted. */
  oldName?: string
  /** How many of its characters are selected at first. */
  selected?: number
  help: (name: string) => ReactNode
  /** A name that was refused after the dialog had closed, and why. */
  refused?: { name: string; reason: string }
  /** Does what was asked for. The dialog stays until it is done, and says why it could not be. */
  submit?: (name: string) => Promise<unknown>
}

/** Asks for a name, and answers it; with `submit`, when that is done. */
export function NameDialog({ answer, ...question }: QuestionProps<NameQuestion, string>) {
  const { title, label, submitLabel, folder, oldName, selected = 0, help, refused, submit } = question
  const { t } = useTranslation()
  const form = useId()
  const [text, setText] = useState(refused?.name ?? oldName ?? '')
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

  return (
    <QuestionDialog
      title={title}
      width={oldName === undefined ? 'narrow' : 'normal'}
      answer={answer}
      actions={
        <Button
          look="primary"
          type="submit"
          form={form}
          isBusy={isBusy}
          disabled={oldName !== undefined && (isUnchanged || name === '')}
        >
          {submitLabel}
        </Button>
      }
    >
      <form id={form} onSubmit={onSubmit}>
        <TextField
          ref={selectStem}
          label={label}
          help={help(name)}
          error={error}
          value={text}
          spellCheck={false}
          autoCapitalize="none"
          data-autofocus=""
          onChange={(event) => {
            setText(event.target.value)
            setRefusal(undefined)
          }}
        />
      </form>
    </QuestionDialog>
  )
}

/** What is known of the folder says at once which names are taken; the server has the last word. */
function useTakenNames(folder: string): (name: string) => boolean {
  const { data } = useQuery({ ...resourceQuery(folder), enabled: false })
  return (name) => data !== undefined && isFolder(data) && data.items.some((entry) => entry.name === name)
}
