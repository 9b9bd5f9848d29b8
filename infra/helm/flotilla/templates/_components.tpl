{{/* The api and each role of the worker, with their values, as JSON: {"api": {…}, "worker-push": {…}} */}}
{{- define "flotilla.components" -}}
{{- $components := dict "api" .Values.api -}}
{{- range $role, $values := .Values.workers -}}
{{- $_ := set $components (printf "worker-%s" $role) $values -}}
{{- end -}}
{{- toJson $components -}}
{{- end -}}

{{/* Pods without a scaler: (list $ "worker-push" .Values.workers.push) */}}
{{- define "flotilla.replicas" -}}
{{- $root := index . 0 -}}
{{- $component := index . 2 -}}
{{- if $root.Values.stopped -}}
0
{{- else if kindIs "invalid" $component.replicas -}}
{{ add 1 (divf $root.Values.bots $component.botsPerPod | ceil | int) }}
{{- else -}}
{{ $component.replicas }}
{{- end -}}
{{- end -}}

{{/* What the schema cannot say. */}}
{{- define "flotilla.check" -}}
{{- $exposed := or .Values.gateway.enabled .Values.ingress.enabled -}}
{{- if not .Values.host }}{{ fail "host: name the host of the api" }}{{ end -}}
{{- if and $exposed (empty .Values.trustedProxies) }}{{ fail "trustedProxies: name the ranges of the pods of your Gateway or ingress controller; without them all callers share one address, and one person's wrong passwords lock everybody out" }}{{ end -}}
{{- $given := merge (dict) .Values.secrets.values .Values.secrets.from -}}
{{- range .Values.extraEnv }}{{ $_ := set $given .name true }}{{ end -}}
{{- range list "DATABASE_URL" "REDIS_URL" "ENCRYPTION_KEY" -}}
{{- if and $.Values.secrets.values (not (hasKey $given .)) }}{{ fail (printf "secrets.values: %s is missing" .) }}{{ end -}}
{{- end -}}
{{- if and .Values.gateway.enabled (empty .Values.gateway.parentRefs) }}{{ fail "gateway.parentRefs: name the Gateway" }}{{ end -}}
{{- if and .Values.networkPolicies.enabled (empty .Values.networkPolicies.requestsFrom) }}{{ fail "networkPolicies.requestsFrom: name the pods that may send requests to the api; any other pod could forge the address of a client" }}{{ end -}}
{{- if and .Values.backup.enabled (not .Values.backup.claim) (not .Values.backup.s3.place) }}{{ fail "backup.claim: name the PersistentVolumeClaim for backups, or backup.s3.place" }}{{ end -}}
{{- if and .Values.backup.s3.place (not .Values.backup.s3.endpoint) }}{{ fail "backup.s3.endpoint: name the store" }}{{ end -}}
{{- if and (eq .Values.autoscaling.kind "keda") (not .Values.monitoring.podMonitor.enabled) (not .Values.autoscaling.prometheus.selector) }}{{ fail "autoscaling.prometheus.selector: without monitoring.podMonitor say which labels the series of this installation have" }}{{ end -}}
{{- end -}}
