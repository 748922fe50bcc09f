import { useState } from 'react'
import { showFailure } from '../../dialogs/show-failure.ts'
import { useUnsavedChanges } from '../../navigation/unsaved-changes.ts'

/** The value of a form: what is saved, with the changes that are not saved yet. */
export interface Draft<Value extends object> {
  value: Value
  isDirty: boolean
  isSaving: boolean
  change(part: Partial<Value>): void
  reset(): void
  /** Answers whether it is saved now. */
  save(): Promise<boolean>
}

/**
 * The state of a form. While nothing is edited the value follows `saved`. `send` brings the value to the server and
 * `saved` up to date; it answers false, or throws, when the form has to be corrected first.
 */
export function useDraft<Value extends object>(
  saved: Value,
  send: (value: Value) => Promise<boolean>,
  onFailure: (error: unknown) => void = showFailure,
): Draft<Value> {
  const [edited, setEdited] = useState<Value | null>(null)
  const [isSaving, setIsSaving] = useState(false)
  const value = edited ?? saved
  const isDirty = edited !== null && JSON.stringify(edited) !== JSON.stringify(saved)

  async function save(): Promise<boolean> {
    if (isSaving) return false
    setIsSaving(true)
    try {
      if (!(await send(value))) return false
      // What was typed while the server was busy is a new change and stays.
      setEdited((current) => (current === edited ? null : current))
      return true
    } catch (error) {
      onFailure(error)
      return false
    } finally {
      setIsSaving(false)
    }
  }

  useUnsavedChanges(isDirty, { save })
  return {
    value,
    isDirty,
    isSaving,
    change: (part) => setEdited((current) => ({ ...(current ?? saved), ...part })),
    reset: () => setEdited(null),
    save,
  }
}

/** For a button whose work takes a while: whether it is under way, and how to begin. */
export function useBusy(work: () => Promise<unknown>): { isBusy: boolean; onClick: () => void } {
  const [isBusy, setIsBusy] = useState(false)
  async function run() {
    setIsBusy(true)
    await work().catch(showFailure)
    setIsBusy(false)
  }
  return { isBusy, onClick: () => void run() }
}
