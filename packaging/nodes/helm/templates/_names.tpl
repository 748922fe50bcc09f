{{/* The labels by which all parts find the servers. */}}
{{- define "filestead.selector" -}}
app.kubernetes.io/name: filestead
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
{{- define "filestead.claim" -}}
{{ .Values.files.existingClaim | default (printf "%s-files" .Release.Name) }}
{{- end }}
