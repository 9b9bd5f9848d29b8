{{/* The Secret that an operator made. Another release has another one, so that it never works on the stores of this one by mistake. */}}
{{- define "flotilla.secretName" -}}
{{- .Values.secrets.name | default (printf "%s-secrets" (include "flotilla.fullname" .)) -}}
{{- end -}}

{{/* Name and key of a secret setting, as JSON: (list $ "REDIS_URL"). */}}
{{- define "flotilla.secretRef" -}}
{{- $root := first . -}}
{{- $setting := last . -}}
{{- $secrets := $root.Values.secrets -}}
{{- $own := ternary (include "flotilla.fullname" $root) (include "flotilla.secretName" $root) (not (empty $secrets.values)) -}}
{{- index $secrets.from $setting | default (dict "name" $own "key" $setting) | toJson -}}
{{- end -}}

{{/* One variable out of a Secret: (list $ "REDIS_URL" "REDIS_URL" false). The last: whether it may be missing. */}}
{{- define "flotilla.secretVariable" -}}
{{- $ref := include "flotilla.secretRef" (list (index . 0) (index . 2)) | fromJson -}}
- name: {{ index . 1 }}
  valueFrom: { secretKeyRef: { name: {{ $ref.name }}, key: {{ $ref.key }}{{ if index . 3 }}, optional: true{{ end }} } }
{{ end -}}

{{/* A value as text; numbers as JSON writes them, because Go gives those from a million on an exponent. */}}
{{- define "flotilla.text" -}}
{{- if kindIs "string" . }}{{ quote . }}{{ else }}{{ toJson . | quote }}{{ end -}}
{{- end -}}

{{/*
The environment of a program, apart from what is the pod's own: (list $ "api"). A name in extraEnv replaces another, because a list with
the same name twice cannot be applied.
*/}}
{{- define "flotilla.environment" -}}
{{- $root := index . 0 -}}
{{- $program := index . 1 -}}
{{- $values := $root.Values -}}
{{- $replaced := list -}}
{{- range $values.extraEnv }}{{ $replaced = append $replaced .name }}{{ end -}}
{{- with $values.extraEnv -}}
{{ toYaml . }}
{{ end -}}
{{- $required := dict "api" (list "DATABASE_URL" "REDIS_URL" "ENCRYPTION_KEY") "worker" (list "DATABASE_URL" "REDIS_URL" "ENCRYPTION_KEY") "rotate-keys" (list "DATABASE_URL" "REDIS_URL" "ENCRYPTION_KEY") -}}
{{- $optional := dict "api" (list "ADMIN_PASSWORD" "ADMIN_API_KEY" "METRICS_TOKEN" "TELEGRAM_PROXY" "TELEGRAM_UPSTREAMS" "LLM_API_KEY" "OTEL_EXPORTER_OTLP_HEADERS") "worker" (list "METRICS_TOKEN" "TELEGRAM_PROXY" "TELEGRAM_UPSTREAMS" "LLM_API_KEY" "OTEL_EXPORTER_OTLP_HEADERS") -}}
{{- range index $required $program -}}
{{- if not (has . $replaced) }}{{ include "flotilla.secretVariable" (list $root . . false) }}{{ end -}}
{{- end -}}
{{- range index $optional $program -}}
{{- if not (has . $replaced) }}{{ include "flotilla.secretVariable" (list $root . . true) }}{{ end -}}
{{- end -}}
{{- if not (hasKey $required $program) -}}
{{- /* migrate, backup, restore */ -}}
{{- if not (has "DATABASE_URL" $replaced) }}
{{- $variable := include "flotilla.secretVariable" (list $root "DATABASE_URL" $values.secrets.directDatabase false) -}}
{{- if and (eq $program "migrate") (hasKey $values.secrets.values $values.secrets.directDatabase) -}}
{{- $variable = $variable | replace (printf "name: %s," (include "flotilla.fullname" $root)) (printf "name: %s-migrate," (include "flotilla.fullname" $root)) -}}
{{- end -}}
{{ $variable }}{{ end -}}
{{- end -}}
{{- if and (has $program (list "backup" "restore")) $values.backup.s3.place -}}
{{- range list "BACKUP_S3_ACCESS_KEY_ID" "BACKUP_S3_SECRET_ACCESS_KEY" -}}
{{- if not (has . $replaced) }}{{ include "flotilla.secretVariable" (list $root . . false) }}{{ end -}}
{{- end -}}
{{- end -}}
{{- $settings := dict "LOG_LEVEL" ($values.settings.LOG_LEVEL | default "info") -}}
{{- /* Of the other settings, the jobs read only those with which they log in. */ -}}
{{- range ternary (list "DATABASE_PASSWORD_COMMAND" "REDIS_PASSWORD_COMMAND") (list "DATABASE_PASSWORD_COMMAND") (hasKey $required $program) -}}
{{- if hasKey $values.settings . }}{{ $_ := set $settings . (index $values.settings .) }}{{ end -}}
{{- end -}}
{{- if has $program (list "api" "worker") -}}
{{- $chosen := dict "PUBLIC_URL" (printf "https://%s" $values.host) "TRUSTED_PROXIES" (join "," $values.trustedProxies) "PROXY_HOST" $values.proxyHost -}}
{{- range $name, $value := merge (dict) $values.settings $chosen -}}
{{- if and (ne $program "api") (or (hasPrefix "ADMIN_" $name) (has $name (list "TRUSTED_PROXIES" "PROXY_HOST"))) }}{{ continue }}{{ end -}}
{{- if ne (toString $value) "" }}{{ $_ := set $settings $name $value }}{{ end -}}
{{- end -}}
{{- end -}}
{{- range $name, $value := $settings -}}
{{- if has $name $replaced }}{{ continue }}{{ end -}}
- { name: {{ $name }}, value: {{ include "flotilla.text" $value }} }
{{ end -}}
{{- if and (include "flotilla.certificateVolume" $root) (not (has "NODE_EXTRA_CA_CERTS" $replaced)) -}}
- { name: NODE_EXTRA_CA_CERTS, value: {{ printf "/certificates/%s" $values.trustedCertificates.key | quote }} }
{{ end -}}
{{- end -}}

{{/* Changes with every Secret that the pods read, so that a changed one replaces them. Only a render beside a cluster can see those that exist. */}}
{{- define "flotilla.secretAnnotations" -}}
{{- $seen := list -}}
{{- if .Values.secrets.values }}{{ $seen = append $seen .Values.secrets.values }}{{ end -}}
{{- $names := list -}}
{{- if not .Values.secrets.values }}{{ $names = append $names (include "flotilla.secretName" .) }}{{ end -}}
{{- range .Values.secrets.from }}{{ $names = append $names .name }}{{ end -}}
{{- range .Values.extraEnv }}{{ with dig "valueFrom" "secretKeyRef" "name" "" . }}{{ $names = append $names . }}{{ end }}{{ end -}}
{{- with .Values.trustedCertificates.secret }}{{ $names = append $names . }}{{ end -}}
{{- range $names | uniq | sortAlpha -}}
{{- $found := lookup "v1" "Secret" $.Release.Namespace . -}}
{{- if $found }}{{ $seen = append $seen $found.data }}{{ end -}}
{{- end -}}
{{- with .Values.trustedCertificates.configMap -}}
{{- $found := lookup "v1" "ConfigMap" $.Release.Namespace . -}}
{{- if $found }}{{ $seen = append $seen $found.data }}{{ end -}}
{{- end -}}
{{- with $seen }}
checksum/secrets: {{ toJson . | sha256sum }}
{{- end }}
{{- with .Values.secrets.revision }}
flotilla/secrets-revision: {{ . | quote }}
{{- end }}
{{- end -}}
