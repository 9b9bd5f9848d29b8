{{/* CPU says nothing about bots, so without KEDA polling never has fewer pods than its bots need. */}}
{{- define "flotilla.minReplicas" -}}
{{- $component := index . 2 -}}
{{- if hasKey $component "botsPerPod" -}}
{{ max $component.minReplicas (include "flotilla.replicas" . | int) }}
{{- else -}}
{{ $component.minReplicas }}
{{- end -}}
{{- end -}}

{{/* There is room for all bots, whatever the values say. */}}
{{- define "flotilla.maxReplicas" -}}
{{- max (index . 2).maxReplicas (include "flotilla.minReplicas" . | int) -}}
{{- end -}}

{{/* ignoreNullValues: a query without a result is an error in the events of the ScaledObject. As 0 it would remove pods. */}}
{{- define "flotilla.trigger" -}}
{{- $prometheus := (index . 0).Values.autoscaling.prometheus -}}
metadata:
  serverAddress: {{ $prometheus.serverAddress }}
  query: {{ index . 1 | squote }}
  threshold: {{ index . 2 | int | quote }}
  ignoreNullValues: "false"
  {{- with $prometheus.authModes }}
  authModes: {{ . }}
  {{- end }}
{{- with $prometheus.authentication }}
authenticationRef: { name: {{ . }} }
{{- end }}
{{- end -}}
