import type { Rule } from '@filestead/contract'
import { useEffect, useId, useRef } from 'react'
import { useTranslation } from '../../i18n/i18n.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { TextField } from '../../ui/Field.tsx'
import { Checkbox } from '../../ui/Tick.tsx'
import styles from './RulesField.module.css'
import { effectOf, moved, newRule, type RuleEffect, textOf, withText } from './rule-list.ts'

interface RulesFieldProps {
  value: readonly Rule[]
  /** The rules that are read before these. */
  before?: readonly Rule[]
  /** What is missing is marked. */
  wasTried: boolean
  onChange: (value: Rule[]) => void
}

/** The rules in their order, which matters: the last one that fits decides. */
export function RulesField({ value, before = [], wasTried, onChange }: RulesFieldProps) {
  const { t } = useTranslation()
  const group = useRef<HTMLFieldSetElement>(null)
  /** What the keyboard goes on with after the list has changed under it. */
  const next = useRef<string | null>(null)

  useEffect(() => {
    if (next.current !== null) group.current?.querySelector<HTMLElement>(next.current)?.focus()
    next.current = null
  })

  function update(rules: Rule[], focus: string | null = null) {
    next.current = focus
    onChange(rules)
  }
  const replace = (index: number, rule: Rule) => update(value.with(index, rule))
  function move(index: number, step: 1 | -1) {
    const target = index + step
    const isAtEnd = step < 0 ? target === 0 : target === value.length - 1
    const button = step < 0 === isAtEnd ? 'down' : 'up'
    update(moved(value, index, step), `[data-rule="${target}"] [data-move="${button}"]`)
  }

  return (
    <fieldset ref={group} className={styles.group} aria-label={t('settings.rules.title')}>
      {value.length === 0 && <p className={styles.none}>{t('settings.rules.none')}</p>}
      <ul className={styles.list} aria-label={t('settings.rules.title')}>
        {value.map((rule, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rules have no identity but their place
          <li key={index} className={styles.rule} data-rule={index}>
            <OneRule
              rule={rule}
              before={[...before, ...value.slice(0, index)]}
              wasTried={wasTried}
              onChange={(next) => replace(index, next)}
            />
            <span className={styles.buttons}>
              <IconButton
                icon="chevron-up"
                label={t('settings.rules.moveUp', { number: index + 1 })}
                data-move="up"
                disabled={index === 0}
                onClick={() => move(index, -1)}
              />
              <IconButton
                icon="chevron-down"
                label={t('settings.rules.moveDown', { number: index + 1 })}
                data-move="down"
                disabled={index === value.length - 1}
                onClick={() => move(index, 1)}
              />
              <IconButton
                icon="x"
                label={t('settings.rules.remove', { number: index + 1 })}
                onClick={() => update(value.toSpliced(index, 1), '[data-new-rule]')}
              />
            </span>
          </li>
        ))}
      </ul>
      <Button
        look="line"
        icon="plus"
        data-new-rule=""
        onClick={() => update([...value, newRule], `[data-rule="${value.length}"] input[type="text"]`)}
      >
        {t('settings.rules.new')}
      </Button>
    </fieldset>
  )
}

/** Effects that are none. */
const idle: ReadonlySet<RuleEffect> = new Set(['hiddenAlready', 'notHidden', 'none'])

interface OneRuleProps {
  rule: Rule
  before: readonly Rule[]
  wasTried: boolean
  onChange: (rule: Rule) => void
}

/** Whether it allows or denies, what it is about, and in a sentence what comes of it. */
function OneRule({ rule, before, wasTried, onChange }: OneRuleProps) {
  const { t } = useTranslation()
  const id = useId()
  const text = textOf(rule)
  const effect = effectOf(rule, before)
  const isWrong = wasTried && effect === 'empty'
  const sentence = t(`settings.rules.effects.${effect}`, { path: text.startsWith('/') ? text : `/${text}` })
  return (
    <>
      {/* One checkbox for assistive technology, two words for the eye: it lies over the word that does not hold yet. */}
      <span className={styles.verdict}>
        <span aria-hidden="true" data-on={rule.allow}>
          {t('settings.rules.allow')}
        </span>
        <span aria-hidden="true" data-on={!rule.allow} data-danger="">
          {t('settings.rules.deny')}
        </span>
        <input
          type="checkbox"
          aria-label={t('settings.rules.allow')}
          aria-describedby={isWrong ? undefined : id}
          checked={rule.allow}
          onChange={({ target }) => onChange({ ...rule, allow: target.checked })}
        />
      </span>
      <div className={styles.text}>
        <TextField
          label={rule.regex ? t('settings.rules.regexp') : t('settings.rules.path')}
          isLabelHidden
          isCode
          error={isWrong ? sentence : undefined}
          placeholder={rule.regex ? t('settings.rules.regexpExample') : t('settings.rules.pathExample')}
          value={text}
          onChange={({ target }) => onChange(withText(rule, target.value))}
        />
      </div>
      <Checkbox
        label={t('settings.rules.regex')}
        checked={rule.regex}
        onChange={({ target }) => onChange(withText(rule, text, target.checked))}
      />
      {!isWrong && (
        <p id={id} className={styles.says} data-idle={idle.has(effect)}>
          {sentence}
        </p>
      )}
    </>
  )
}
