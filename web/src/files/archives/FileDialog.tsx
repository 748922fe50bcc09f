import { type ChecksumAlgorithm, checksumAlgorithms, join, type PackFormat, packFormats } from '@filestead/contract'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useCallback, useId, useState } from 'react'
import type { QuestionProps } from '../../dialogs/ask.ts'
import { QuestionDialog } from '../../dialogs/QuestionDialog.tsx'
import { useTranslation } from '../../i18n/i18n.ts'
import { type Entry, isFolder, resourceQuery } from '../../server/queries/resources.ts'
import { personalItem } from '../../state/personal-storage.ts'
import { Button } from '../../ui/Button.tsx'
import { TextField } from '../../ui/Field.tsx'
import { nameProblem } from '../operations/name-problem.ts'
import styles from './FileDialog.module.css'
import { suggestedName, withEnding } from './file-names.ts'
import { Subject } from './Subject.tsx'

type Purpose = 'compress' | 'checksum'

export interface FileQuestion {
  /** What is made of the entries: an archive, or a list of checksums. */
  purpose: Purpose
  /** Where the file is made. */
  folder: string
  entries: readonly Entry[]
}

export type FileAnswer =
  | { purpose: 'compress'; kind: PackFormat; name: string }
  | { purpose: 'checksum'; kind: ChecksumAlgorithm; name: string }

const kinds = { compress: packFormats, checksum: checksumAlgorithms } as const
const usual = { compress: 'zip', checksum: 'sha256' } as const
const lastKinds = { compress: personalItem('compress-format'), checksum: personalItem('checksum-algorithm') }

const texts = {
  compress: {
    title: 'archives.compressTitle',
    choice: 'archives.format',
    submit: 'archives.compressAction',
    otherwise: 'archives.defaultName',
  },
  checksum: {
    title: 'archives.checksumsTitle',
    choice: 'archives.algorithm',
    submit: 'archives.checksumsAction',
    otherwise: 'archives.checksumsTitle',
  },
} as const

const formatHelp = { zip: 'archives.zip', 'tar.gz': 'archives.targz', 'tar.zst': 'archives.tarzst' } as const

/** Asks for the name and the kind of a file that is made of entries. The ending of the name follows the kind. */
export function FileDialog({ purpose, folder, entries, answer }: QuestionProps<FileQuestion, FileAnswer>) {
  const { t } = useTranslation()
  const id = useId()
  const own = texts[purpose]
  const [first] = entries
  const isTaken = useTakenNames(folder)
  const [kind, setKind] = useState<string>(
    () => kinds[purpose].find((known) => known === lastKinds[purpose].read()) ?? usual[purpose],
  )
  const [text, setText] = useState(() =>
    suggestedName({ entries, folder, ending: `.${kind}`, otherwise: t(own.otherwise), isTaken }),
  )
  const typed = text.trim()
  const name = withEnding(typed, `.${kind}`)
  const problem = typed === '' ? null : nameProblem(name, isTaken)
  const selectAll = useCallback((input: HTMLInputElement | null) => input?.select(), [])

  function onSubmit(event: FormEvent) {
    event.preventDefault()
    if (typed === '' || problem !== null) return
    lastKinds[purpose].note(kind)
    const format = packFormats.find((known) => known === kind)
    const algorithm = checksumAlgorithms.find((known) => known === kind)
    if (purpose === 'compress' && format !== undefined) answer({ purpose, kind: format, name })
    if (purpose === 'checksum' && algorithm !== undefined) answer({ purpose, kind: algorithm, name })
  }

  return (
    <QuestionDialog
      title={t(own.title)}
      width="narrow"
      answer={answer}
      actions={
        <Button look={problem === null ? 'primary' : 'line'} type="submit" form={id} disabled={typed === ''}>
          {t(own.submit)}
        </Button>
      }
    >
      <form id={id} className={styles.form} onSubmit={onSubmit}>
        <Subject
          icon={purpose === 'compress' ? 'archive' : 'check'}
          text={
            first !== undefined && entries.length === 1 ? first.name : t('change.subject', { count: entries.length })
          }
        />
        <TextField
          ref={selectAll}
          label={t('change.name')}
          value={text}
          spellCheck={false}
          autoCapitalize="none"
          data-autofocus=""
          onChange={({ target }) => setText(target.value)}
          help={
            <span role="status">
              <bdi>{typed === '' ? '\u00a0' : t('change.willCreate', { path: join(folder, name) })}</bdi>
            </span>
          }
          {...(problem !== null && { error: t(`change.${problem}`) })}
        />
        <fieldset className={styles.kinds} aria-label={t(own.choice)}>
          <legend className={styles.legend}>{t(own.choice)}</legend>
          <span className={styles.segments}>
            {kinds[purpose].map((each) => (
              <label key={each}>
                {each}
                <input type="radio" name={`${id}-kind`} checked={each === kind} onChange={() => setKind(each)} />
              </label>
            ))}
          </span>
          <p className={styles.help}>
            {kind in formatHelp
              ? t(formatHelp[kind as PackFormat])
              : t('archives.checksumsHelp', { tool: `${kind}sum` })}
          </p>
        </fieldset>
      </form>
    </QuestionDialog>
  )
}

/** What is known of the folder says at once which names are taken; the server has the last word. */
function useTakenNames(folder: string): (name: string) => boolean {
  const { data } = useQuery({ ...resourceQuery(folder), enabled: false })
  return (name) => data !== undefined && isFolder(data) && data.items.some((entry) => entry.name === name)
}
