import { useEffect, useState } from 'react'
import { useTranslation } from '../../i18n/i18n.ts'
import { IconButton } from '../../ui/Button.tsx'
import { useWorkspace } from '../../workspace/workspace.ts'
import { Details, nameOfAll } from './Details.tsx'
import styles from './DetailsPane.module.css'

/** Follows the selection, and shows the folder while nothing is selected. */
export function DetailsPane({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const entries = useWorkspace(({ chosen }) => chosen)
  const folder = useWorkspace((workspace) => workspace.folder)
  const shown = useAtRest(entries)
  return (
    <>
      <header className={styles.head}>
        <h2>
          <bdi>{nameOfAll(folder, entries)}</bdi>
        </h2>
        <IconButton small icon="x" label={t('buttons.close')} onClick={onClose} />
      </header>
      <div className={styles.body}>
        <Details folder={folder} entries={shown} />
      </div>
    </>
  )
}

/** In milliseconds: an arrow key that is held down does not ask the server about every row that it passes. */
const restAfter = 150

/** The value, once it has not changed for a moment. */
function useAtRest<Value>(value: Value): Value {
  const [rested, setRested] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), restAfter)
    return () => clearTimeout(timer)
  }, [value])
  return rested
}
