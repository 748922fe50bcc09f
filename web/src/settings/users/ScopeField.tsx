import type { WebSettings } from '@filestead/contract'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { showFailure } from '../../dialogs/show-failure.ts'
import { rootsOf } from '../../files/rights/places.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { mountsQuery } from '../../server/queries/mounts.ts'
import { Button } from '../../ui/Button.tsx'
import { TextField } from '../../ui/Field.tsx'
import { Switch } from '../../ui/Tick.tsx'
import { askForScope } from './ask-for-scope.ts'
import styles from './ScopeField.module.css'
import { sightOf } from './sight.ts'
import { folderOf, homeFor, type UserFields } from './user-fields.ts'

interface ScopeFieldProps {
  value: UserFields
  change: (part: Partial<UserFields>) => void
  isNew: boolean
  settings: WebSettings
}

/** Which files a user sees: a folder of its own, everything, or a folder that is there or will be made. */
export function ScopeField({ value, change, isNew, settings }: ScopeFieldProps) {
  const { t } = useTranslation()
  const { data } = useSuspenseQuery(mountsQuery())
  const mounts = rootsOf(data)
  const { username, makesHome } = value
  const home = homeFor(username, settings)
  // An empty scope of a new user is the default one.
  const scope = value.scope.trim() === '' && isNew ? settings.defaults.scope : value.scope
  const folder = folderOf(scope)
  const isWhole = folder === '/'
  const [lastFolder, setLastFolder] = useState(isWhole ? null : folder)

  function choose(text: string) {
    if (folderOf(text) !== '/') setLastFolder(text)
    change({ scope: text })
  }

  async function pick() {
    const picked = await askForScope()
    if (picked !== null) choose(picked)
  }

  const help = {
    own: () => t('settings.user.scopePlaceholder'),
    whole: () => sightOf('/', mounts),
    folder: () => sightOf(folder, mounts),
  }[makesHome ? 'own' : isWhole ? 'whole' : 'folder']

  return (
    <>
      {isNew && (
        <Switch
          label={t('settings.user.makesHome')}
          help={t('settings.user.makesHomeHelp', { base: settings.userHomeBasePath })}
          checked={makesHome}
          onChange={({ target }) => change({ makesHome: target.checked })}
        />
      )}
      <div className={styles.scope}>
        <TextField
          label={t('settings.scope')}
          isCode
          help={help()}
          // The text is kept and comes back when the box is unticked.
          value={makesHome ? '' : value.scope}
          placeholder={makesHome ? home : undefined}
          disabled={makesHome}
          onChange={({ target }) => choose(target.value)}
        />
        {!makesHome && (
          <div className={styles.ways}>
            <Ways
              isWhole={isWhole}
              onWhole={() => choose('/')}
              onFolder={() => choose(lastFolder ?? (home.endsWith('…') ? settings.userHomeBasePath : home))}
            />
            <Button look="line" icon="folder" onClick={() => void pick().catch(showFailure)}>
              {t('settings.user.chooseFolder')}
            </Button>
          </div>
        )}
      </div>
    </>
  )
}

interface WaysProps {
  isWhole: boolean
  onWhole: () => void
  onFolder: () => void
}

function Ways({ isWhole, onWhole, onFolder }: WaysProps) {
  const { t } = useTranslation()
  const name = useId()
  return (
    <div role="radiogroup" aria-label={t('settings.user.sees')} className={styles.segments}>
      <label>
        <input type="radio" name={name} checked={isWhole} onChange={onWhole} />
        {t('settings.users.everything')}
      </label>
      <label>
        <input type="radio" name={name} checked={!isWhole} onChange={onFolder} />
        {t('settings.user.oneFolder')}
      </label>
    </div>
  )
}
