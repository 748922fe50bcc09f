import { useEffect, useEffectEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { TextField } from '../../ui/Field.tsx'
import { fallbackChunkSize, parseSize, writeSize } from './chunk-size.ts'

/** How long somebody has to pause before the text is taken for what it says. */
const patience = 1500

interface ChunkSizeFieldProps {
  value: string
  onChange: (value: string) => void
}

/** A size as people write it. What cannot be read becomes 1 MB, and that is said. */
export function ChunkSizeField({ value, onChange }: ChunkSizeFieldProps) {
  const { t } = useTranslation()
  const [misread, setMisread] = useState<string | null>(null)
  const fallBack = useEffectEvent((text: string) => {
    setMisread(text)
    onChange(writeSize(fallbackChunkSize))
  })

  useEffect(() => {
    if (parseSize(value) !== null) return
    const timer = setTimeout(() => fallBack(value), patience)
    return () => clearTimeout(timer)
  }, [value])

  return (
    <TextField
      label={t('settings.global.chunkSize')}
      help={misread === null ? t('settings.global.chunkSizeHelp') : undefined}
      error={misread === null ? undefined : t('settings.global.chunkSizeMisread', { text: misread })}
      value={value}
      dir="ltr"
      onChange={({ target }) => {
        setMisread(null)
        onChange(target.value)
      }}
    />
  )
}
