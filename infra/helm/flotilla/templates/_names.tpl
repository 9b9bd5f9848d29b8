{{/* A name of at most 40 characters, so that a CronJob's (52) has room for "-rotate-keys". A Service begins with a letter and has no dot. */}}
{{- define "flotilla.fullname" -}}
{{- $name := .Release.Name | replace "." "-" -}}
{{- if not (contains "flotilla" $name) -}}
{{- $name = printf "%s-flotilla" $name -}}
{{- end -}}
{{- if not (regexMatch "^[a-z]" $name) -}}
{{- $name = printf "flotilla-%s" $name -}}
{{- end -}}
{{- /* What was shortened or replaced gets a digest, so that two releases never share a name. */ -}}
{{- if or (gt (len $name) 40) (contains "." .Release.Name) -}}
{{- $name = printf "%s-%s" ($name | trunc 31 | trimSuffix "-") (.Release.Name | sha256sum | trunc 8) -}}
{{- end -}}
{{- .Values.fullnameOverride | default $name -}}
{{- end -}}

{{/* The labels that select pods: of all kinds, or with (list $ "worker-push") of one. They can never change. */}}
{{- define "flotilla.selector" -}}
{{- $root := . -}}
{{- if kindIs "slice" . }}{{ $root = first . }}{{ end -}}
app.kubernetes.io/name: flotilla
app.kubernetes.io/instance: {{ $root.Release.Name }}
{{- if kindIs "slice" . }}
app.kubernetes.io/component: {{ last . }}
{{- end }}
{{- end -}}

{{- define "flotilla.podLabels" -}}
{{- $root := . -}}
{{- if kindIs "slice" . }}{{ $root = first . }}{{ end -}}
{{ include "flotilla.selector" . }}
app.kubernetes.io/version: {{ $root.Values.image.tag | default $root.Chart.AppVersion | trunc 63 | quote }}
{{- end -}}

{{- define "flotilla.labels" -}}
{{- $root := . -}}
{{- if kindIs "slice" . }}{{ $root = first . }}{{ end -}}
{{ include "flotilla.podLabels" . }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- end -}}

{{/* (list $ "api") */}}
{{- define "flotilla.image" -}}
{{- $root := first . -}}
{{- $name := last . -}}
{{- $image := $root.Values.image -}}
{{- $digest := index $image.digests $name -}}
{{- if $digest -}}
{{ $image.repository }}/{{ $name }}@{{ $digest }}
{{- else -}}
{{ $image.repository }}/{{ $name }}:{{ $image.tag | default $root.Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{- define "flotilla.installation" -}}
{{- $name := ternary .Release.Namespace (printf "%s/%s" .Release.Namespace .Release.Name) (eq .Release.Name "flotilla") -}}
{{- .Values.monitoring.installation | default $name -}}
{{- end -}}
