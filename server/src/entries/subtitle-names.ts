export const isSubtitle = (name: string): boolean => /.\.?(vtt|srt|ass|ssa)$/i.test(name)
export const isSubtitleFolder = (name: string): boolean => /^sub(s|titles)$/i.test(name)
