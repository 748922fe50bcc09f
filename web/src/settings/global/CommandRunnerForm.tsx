import { useSuspenseQuery } from '@tanstack/react-query'
import { useId, useRef, useState } from 'react'
import { useTranslation } from '../../i18n/i18n.ts'
import { settingsQuery } from '../../server/queries/settings.ts'
import { Icon } from '../../ui/Icon.tsx'
import { TextArea } from '../../ui/TextArea.tsx'
import { useDraft } from '../forms/draft.ts'
import { Form, SaveBar, Section } from '../forms/Form.tsx'
import { linesIn } from '../forms/values.ts'
import styles from './CommandRunnerForm.module.css'
import { changeSettings, useSeenSettings } from './save-settings.ts'

const events = [
  'before_upload',
  'after_upload',
  'before_save',
  'after_save',
  'before_rename',
  'after_rename',
  'before_copy',
  'after_copy',
  'before_delete',
  'after_delete',
] as const

type Texts = Record<(typeof events)[number], string>

/** The programs that run before and after changes of files. Shown only where commands are switched on. */
export function CommandRunnerForm() {
  const { t } = useTranslation()
  const { data } = useSuspenseQuery(settingsQuery())
  const saved = Object.fromEntries(events.map((name) => [name, (data.commands[name] ?? []).join('\n')])) as Texts
  const seen = useRef(data)
  const draft = useDraft(saved, (texts) =>
    changeSettings(seen.current, ({ commands }) => ({
      commands: { ...commands, ...Object.fromEntries(events.map((name) => [name, linesIn(texts[name])])) },
    })),
  )
  useSeenSettings(seen, data, draft.isDirty)

  return (
    <Form label={t('settings.runner.title')} onSubmit={draft.save}>
      <Section isCard title={t('settings.runner.title')} text={t('settings.runner.text')}>
        <div>
          {events.map((name) => (
            <Event
              key={name}
              label={t(`settings.runner.${name}`)}
              value={draft.value[name]}
              onChange={(text) => draft.change({ [name]: text } as Partial<Texts>)}
            />
          ))}
        </div>
      </Section>
      <SaveBar draft={draft} label={t('buttons.update')} />
    </Form>
  )
}

interface EventProps {
  label: string
  value: string
  onChange: (value: string) => void
}

function Event({ label, value, onChange }: EventProps) {
  const { t } = useTranslation()
  const [isOpen, setIsOpen] = useState(value !== '')
  const id = useId()
  const count = linesIn(value).length

  return (
    <div className={styles.event}>
      <button
        type="button"
        className={styles.toggle}
        aria-expanded={isOpen}
        aria-controls={id}
        aria-describedby={`${id}-count`}
        onClick={() => setIsOpen(!isOpen)}
      >
        <Icon name="chevron-right" />
        {label}
      </button>
      <span id={`${id}-count`} className={styles.count}>
        {count > 0 && t('settings.runner.count', { count })}
      </span>
      <div id={id} hidden={!isOpen} className={styles.text}>
        <TextArea
          label={label}
          isLabelHidden
          dir="ltr"
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      </div>
    </div>
  )
}
