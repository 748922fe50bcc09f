import { useQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useCallback, useEffect, useId, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isAbort } from '../../api/client.ts'
import { isFolder, refreshFolders, resourceQuery } from '../../api/resources.ts'
import { describeFailure, showFailure } from '../../api/show-failure.ts'
import { PromptDialog } from '../../prompts/PromptDialog.tsx'
import type { PromptProps } from '../../prompts/prompts.ts'
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
  /** Does what was asked for. The dialog stays until it is done, and says why it could not be. */
  submit: (name: string) => Promise<void>
}

/** Asks for a name, and answers it when the entry is called that. */
export function NamePrompt({ answer, ...question }: PromptProps<NameQuestion, string>) {
  const { title, label, submitLabel, folder, oldName, selected = 0, help, submit } = question
  const { t } = useTranslation()
  const form = useId()
  const [text, setText] = useState(oldName ?? '')
  const [isBusy, setIsBusy] = useState(false)
  const [refusal, setRefusal] = useState<string>()
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
  const error = problem === null ? refusal : t(`change.${problem}`)
  const selectStem = useCallback((input: HTMLInputElement | null) => input?.setSelectionRange(0, selected), [selected])

  async function onSubmit(event: FormEvent) {
    event.preventDefault()
    // What is wrong with a name stands below it already.
    if (name === '' || isUnchanged || problem !== null || isBusy) return
    setIsBusy(true)
    try {
      await submit(name)
      // Here, and not only by whoever asked: the dialog may have been closed while the server was at it.
      void refreshFolders(folder)
      answer(name)
    } catch (failure) {
      if (!isOpen.current) return showFailure(failure)
      if (!isAbort(failure)) setRefusal(describeFailure(failure))
      setIsBusy(false)
    }
  }

  return (
    <PromptDialog
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
    </PromptDialog>
  )
}

/** What is known of the folder says at once which names are taken; the server has the last word. */
function useTakenNames(folder: string): (name: string) => boolean {
  const { data } = useQuery({ ...resourceQuery(folder), staleTime: 60_000 })
  const names = useMemo(
    () => new Set(data !== undefined && isFolder(data) ? data.items.map((entry) => entry.name) : []),
    [data],
  )
  return (name) => names.has(name)
}
