import { useSuspenseQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { useTranslation } from '../../i18n/i18n.ts'
import { settingsQuery } from '../../server/queries/settings.ts'
import { TextField } from '../../ui/Field.tsx'
import { CommandsField } from '../forms/CommandsField.tsx'
import { useDraft } from '../forms/draft.ts'
import { Form, Pair, SaveBar, Section } from '../forms/Form.tsx'
import { LanguageField } from '../forms/LanguageField.tsx'
import { PermissionsField } from '../forms/PermissionsField.tsx'
import { implied } from '../forms/permissions.ts'
import { offeredLocale, wordsIn } from '../forms/values.ts'
import { changeSettings, useSeenSettings } from './save-settings.ts'

/** What a new user starts with. */
export function DefaultsForm() {
  const { t } = useTranslation()
  const { data } = useSuspenseQuery(settingsQuery())
  const { scope, locale, perm, commands } = data.defaults
  const saved = { scope, locale: offeredLocale(locale), perm, commands: commands.join(' ') }
  const seen = useRef(data)
  const draft = useDraft(saved, (value) =>
    changeSettings(seen.current, ({ defaults }) => ({
      defaults: { ...defaults, ...value, perm: implied(value.perm), commands: wordsIn(value.commands) },
    })),
  )
  useSeenSettings(seen, data, draft.isDirty)
  const { value, change } = draft

  return (
    <Form label={t('settings.defaults.title')} onSubmit={draft.save}>
      <Section isCard title={t('settings.defaults.title')} text={t('settings.defaults.text')}>
        <Pair>
          <TextField
            label={t('settings.scope')}
            isCode
            value={value.scope}
            onChange={({ target }) => change({ scope: target.value })}
          />
          <LanguageField value={value.locale} onChange={(locale) => change({ locale })} />
        </Pair>
        <PermissionsField value={value.perm} onChange={(next) => change({ perm: next })} />
        <CommandsField value={value.commands} onChange={(commands) => change({ commands })} />
      </Section>
      <SaveBar draft={draft} label={t('buttons.update')} />
    </Form>
  )
}
