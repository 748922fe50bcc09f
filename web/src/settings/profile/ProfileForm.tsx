import type { UserTheme } from '@filestead/contract'
import { editorThemes } from '../../files/editor/theme-names.ts'
import { supportedLocale, switchLanguage, t as translate, useTranslation } from '../../i18n/i18n.ts'
import { updateUser } from '../../server/queries/update-user.ts'
import { renew, useUser } from '../../server/session.ts'
import { Select } from '../../ui/Select.tsx'
import { Switch } from '../../ui/Tick.tsx'
import { toastSuccess } from '../../ui/toasts.ts'
import { useDraft } from '../forms/draft.ts'
import { Form, Pair, SaveBar, Section, Switches } from '../forms/Form.tsx'
import { LanguageField } from '../forms/LanguageField.tsx'

/** The preferences of the signed-in user, on every device. */
export function ProfileForm() {
  const { t } = useTranslation()
  const {
    id,
    hideDotfiles,
    singleClick,
    redirectAfterCopyMove,
    dateFormat,
    locale,
    aceEditorTheme,
    theme = '',
  } = useUser()
  const saved = {
    hideDotfiles,
    singleClick,
    redirectAfterCopyMove,
    dateFormat,
    locale: supportedLocale(locale),
    aceEditorTheme,
    theme,
  }
  const draft = useDraft(saved, async (value) => {
    await updateUser({ ...value, id }, Object.keys(saved) as (keyof typeof saved)[])
    // The fresh token carries the new preferences, and with them the language of the page.
    await renew()
    await switchLanguage(value.locale)
    toastSuccess(translate('settings.updated'))
    return true
  })
  const { value, change } = draft

  return (
    <Form label={t('settings.profile.title')} onSubmit={draft.save}>
      <Section title={t('settings.profile.browsing')} text={t('settings.profile.browsingText')}>
        <Switches>
          <Switch
            label={t('settings.profile.hideDotfiles')}
            help={t('settings.profile.hideDotfilesHelp')}
            checked={value.hideDotfiles}
            onChange={({ target }) => change({ hideDotfiles: target.checked })}
          />
          <Switch
            label={t('settings.profile.singleClick')}
            help={t('settings.profile.singleClickHelp')}
            checked={value.singleClick}
            onChange={({ target }) => change({ singleClick: target.checked })}
          />
          <Switch
            label={t('settings.profile.redirect')}
            checked={value.redirectAfterCopyMove}
            onChange={({ target }) => change({ redirectAfterCopyMove: target.checked })}
          />
          <Switch
            label={t('settings.profile.dateFormat')}
            help={t('settings.profile.dateFormatHelp')}
            checked={value.dateFormat}
            onChange={({ target }) => change({ dateFormat: target.checked })}
          />
        </Switches>
      </Section>
      <Section title={t('settings.profile.appearance')}>
        <Pair>
          <LanguageField value={value.locale} onChange={(locale) => change({ locale })} />
          <Select
            label={t('settings.branding.theme')}
            options={[
              { value: '', label: t('settings.profile.themeOfInstance') },
              { value: 'system', label: t('settings.branding.themeSystem') },
              { value: 'light', label: t('settings.branding.themeLight') },
              { value: 'dark', label: t('settings.branding.themeDark') },
            ]}
            value={value.theme}
            onChange={({ target }) => change({ theme: target.value as UserTheme })}
          />
          <Select
            label={t('settings.profile.editorTheme')}
            options={themeOptions(saved.aceEditorTheme)}
            value={value.aceEditorTheme}
            onChange={({ target }) => change({ aceEditorTheme: target.value })}
          />
        </Pair>
      </Section>
      <SaveBar draft={draft} label={t('buttons.update')} />
    </Form>
  )
}

/** A theme of the predecessor is offered as long as it is the stored one. */
function themeOptions(stored: string): { value: string; label: string }[] {
  const options = editorThemes.map(({ id, label }) => ({ value: id as string, label: translate(label) }))
  return options.some(({ value }) => value === stored) ? options : [...options, { value: stored, label: stored }]
}
