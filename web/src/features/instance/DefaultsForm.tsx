import { useSuspenseQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { settingsQuery } from '../../api/settings.ts'
import { startSettings } from '../../api/start-settings.ts'
import { useDraft } from '../../forms/draft.ts'
import { Form, Pair, SaveBar, Section } from '../../forms/Form.tsx'
import { languageOptions, offeredLocale } from '../../forms/languages.ts'
import { PermissionsField } from '../../forms/PermissionsField.tsx'
import { implied } from '../../forms/permissions.ts'
import { wordsIn } from '../../forms/words.ts'
import { Select, TextField } from '../../ui/Field.tsx'
import { changeSettings } from './save-settings.ts'

/** What a new user starts with. */
export function DefaultsForm() {
  const { t } = useTranslation()
  const { data } = useSuspenseQuery(settingsQuery())
  const { scope, locale, perm, commands } = data.defaults
  const saved = { scope, locale: offeredLocale(locale), perm, commands: commands.join(' ') }
  const draft = useDraft(saved, (value) =>
    changeSettings(({ defaults }) => ({
      defaults: { ...defaults, ...value, perm: implied(value.perm), commands: wordsIn(value.commands) },
    })),
  )
  const { value, change } = draft

  return (
    <Form label={t('settings.defaults.title')} onSubmit={() => void draft.save()}>
      <Section isCard title={t('settings.defaults.title')} text={t('settings.defaults.text')}>
        <Pair>
          <TextField
            label={t('settings.scope')}
            isCode
            value={value.scope}
            onChange={({ target }) => change({ scope: target.value })}
          />
          <Select
            label={t('settings.language')}
            options={languageOptions}
            value={value.locale}
            onChange={({ target }) => change({ locale: target.value })}
          />
        </Pair>
        <PermissionsField value={value.perm} onChange={(next) => change({ perm: next })} />
        {startSettings.EnableExec && (
          <TextField
            label={t('settings.user.commands')}
            help={t('settings.user.commandsHelp')}
            isCode
            value={value.commands}
            onChange={({ target }) => change({ commands: target.value })}
          />
        )}
      </Section>
      <SaveBar draft={draft} label={t('buttons.update')} />
    </Form>
  )
}
