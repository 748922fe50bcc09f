import { useState } from 'react'
import { showFailure } from '../api/show-failure.ts'
import { useUnsavedChanges } from './unsaved.ts'

/** What a form holds between what the server has and what the person wants. */
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
 * A form over something the server keeps. While nothing is edited it follows `saved`. `send` brings the value to the
 * server and `saved` up to date; it answers false, or throws, when the person has to look at the form again.
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

  useUnsavedChanges(isDirty, save)
  return {
    value,
    isDirty,
    isSaving,
    change: (part) => setEdited((current) => ({ ...(current ?? saved), ...part })),
    reset: () => setEdited(null),
    save,
  }
}
