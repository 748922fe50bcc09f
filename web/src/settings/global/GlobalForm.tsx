import type { WebSettings } from '@filestead/contract'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useTranslation } from '../../i18n/i18n.ts'
import { settingsQuery } from '../../server/queries/settings.ts'
import { currentSession } from '../../server/session.ts'
import { startSettings } from '../../server/start-settings.ts'
import { TextField } from '../../ui/Field.tsx'
import { Switch } from '../../ui/Tick.tsx'
import { applyTheme } from '../../ui/theme.ts'
import { useDraft } from '../forms/draft.ts'
import { Form, Pair, SaveBar, Section, Switches } from '../forms/Form.tsx'
import { RulesField } from '../forms/RulesField.tsx'
import { areAllAboutSomething } from '../forms/rule-list.ts'
import { wordsIn } from '../forms/values.ts'
import { BrandingFields } from './BrandingFields.tsx'
import { ChunkSizeField } from './ChunkSizeField.tsx'
import { fallbackChunkSize, parseSize, writeSize } from './chunk-size.ts'
import { changeSettings, useSeenSettings } from './save-settings.ts'

/** The card's part of the settings, as people type it. */
const toFields = ({ branding, tus, ...settings }: WebSettings) => ({
  signup: settings.signup,
  createUserDir: settings.createUserDir,
  hideLoginButton: settings.hideLoginButton,
  userHomeBasePath: settings.userHomeBasePath,
  minimumPasswordLength: String(settings.minimumPasswordLength),
  rules: settings.rules,
  shell: settings.shell.join(' '),
  branding,
  chunkSize: writeSize(tus.chunkSize),
  retryCount: String(tus.retryCount),
})

type Fields = ReturnType<typeof toFields>

const isWhole = (text: string, least: number): boolean => /^\d{1,5}$/.test(text) && Number(text) >= least

export function GlobalForm() {
  const { t } = useTranslation()
  const { data: settings } = useSuspenseQuery(settingsQuery())
  const [wasTried, setWasTried] = useState(false)
  const seen = useRef(settings)

  const draft = useDraft(toFields(settings), async (fields) => {
    setWasTried(true)
    if (!isWhole(fields.minimumPasswordLength, 1) || !isWhole(fields.retryCount, 0)) return false
    if (!areAllAboutSomething(fields.rules)) return false
    await changeSettings(seen.current, () => fromFields(fields))
    // As a page that is loaded from now on has it.
    startSettings.Theme = fields.branding.theme
    applyTheme(currentSession()?.user.theme || startSettings.Theme)
    setWasTried(false)
    return true
  })
  useSeenSettings(seen, settings, draft.isDirty)
  const { value, change } = draft

  return (
    <Form label={t('settings.global.title')} onSubmit={draft.save}>
      <Section title={t('settings.global.accounts')} text={t('settings.global.accountsText')}>
        <Switches>
          <Switch
            label={t('settings.global.signup')}
            checked={value.signup}
            onChange={({ target }) => change({ signup: target.checked })}
          />
          <Switch
            label={t('settings.global.createUserDir')}
            checked={value.createUserDir}
            onChange={({ target }) => change({ createUserDir: target.checked })}
          />
          <Switch
            label={t('settings.global.hideLoginButton')}
            checked={value.hideLoginButton}
            onChange={({ target }) => change({ hideLoginButton: target.checked })}
          />
        </Switches>
        <Pair>
          <TextField
            label={t('settings.global.userHomeBasePath')}
            isCode
            value={value.userHomeBasePath}
            onChange={({ target }) => change({ userHomeBasePath: target.value })}
          />
          <TextField
            label={t('settings.global.minimumPasswordLength')}
            type="number"
            min={1}
            value={value.minimumPasswordLength}
            error={wasTried && !isWhole(value.minimumPasswordLength, 1) ? t('settings.global.atLeastOne') : undefined}
            onChange={({ target }) => change({ minimumPasswordLength: target.value })}
          />
        </Pair>
      </Section>
      <Section title={t('settings.rules.title')} text={t('settings.rules.text')}>
        <RulesField value={value.rules} wasTried={wasTried} onChange={(rules) => change({ rules })} />
      </Section>
      {startSettings.EnableExec && (
        <Section title={t('settings.global.commands')}>
          <TextField
            label={t('settings.global.shell')}
            help={t('settings.global.shellHelp')}
            isCode
            value={value.shell}
            onChange={({ target }) => change({ shell: target.value })}
          />
        </Section>
      )}
      <BrandingFields value={value.branding} onChange={(branding) => change({ branding })} />
      <Section title={t('settings.global.uploads')} text={t('settings.global.uploadsText')}>
        <Pair>
          <ChunkSizeField value={value.chunkSize} onChange={(chunkSize) => change({ chunkSize })} />
          <TextField
            label={t('settings.global.retryCount')}
            help={t('settings.global.retryCountHelp')}
            type="number"
            min={0}
            value={value.retryCount}
            error={wasTried && !isWhole(value.retryCount, 0) ? t('settings.global.atLeastZero') : undefined}
            onChange={({ target }) => change({ retryCount: target.value })}
          />
        </Pair>
      </Section>
      <SaveBar draft={draft} label={t('buttons.update')} />
    </Form>
  )
}

function fromFields({ minimumPasswordLength, shell, chunkSize, retryCount, ...rest }: Fields): Partial<WebSettings> {
  return {
    ...rest,
    minimumPasswordLength: Number(minimumPasswordLength),
    shell: wordsIn(shell),
    // The form may be saved before the pause after which the field falls back by itself.
    tus: { chunkSize: parseSize(chunkSize) ?? fallbackChunkSize, retryCount: Number(retryCount) },
  }
}
