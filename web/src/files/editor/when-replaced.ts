import { useEffect, useEffectEvent } from 'react'
import { isGuarded } from '../../navigation/location.ts'
import { replacedFiles } from '../../workspace/replaced-files.ts'

/** Not while there are unsaved changes: saving asks which of the two shall stay. */
export function useWhenReplaced(path: string, onReplaced: () => void): void {
  const last = replacedFiles.use()
  const load = useEffectEvent(onReplaced)
  useEffect(() => {
    if (!last.includes(path)) return
    replacedFiles.set([])
    if (!isGuarded()) load()
  }, [last, path])
}
