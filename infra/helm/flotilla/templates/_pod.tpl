{{/* What all pods have in common; without containers: (list $ <the values of its pods>) */}}
{{- define "flotilla.podSpec" -}}
{{- $root := first . -}}
{{- $pods := last . -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with $pods.serviceAccountName }}
serviceAccountName: {{ . }}
{{- end }}
{{- with $pods.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with $root.Values.image.pullSecrets }}
imagePullSecrets: {{ toJson . }}
{{- end }}
{{- with $pods.nodeSelector }}
nodeSelector: {{ toJson . }}
{{- end }}
{{- with $pods.tolerations }}
tolerations: {{ toJson . }}
{{- end }}
{{- with $pods.affinity }}
affinity: {{ toJson . }}
{{- end }}
{{- with $pods.initContainers }}
initContainers:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "flotilla.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end -}}

{{/* The values of `pods` with those of one kind: (list $ .Values.api) */}}
{{- define "flotilla.podsOf" -}}
{{- mergeOverwrite (deepCopy (first .).Values.pods) (deepCopy ((last .).pods | default dict)) | toJson -}}
{{- end -}}

{{/* What our containers mount: (list $ <the values of its pods>) */}}
{{- define "flotilla.volumeMounts" -}}
{{- $trusted := (first .).Values.trustedCertificates -}}
{{- if or $trusted.configMap $trusted.secret -}}
- { name: certificates, mountPath: /certificates, readOnly: true }
{{ end -}}
{{- with (last .).volumeMounts }}{{ toYaml . }}{{ end -}}
{{- end -}}

{{- define "flotilla.volumes" -}}
{{- with include "flotilla.certificateVolume" (first .) }}{{ . }}
{{ end -}}
{{- with (last .).volumes }}{{ toYaml . }}{{ end -}}
{{- end -}}

{{/* The one key of it: the Secret of an authority may have its private key, too. */}}
{{- define "flotilla.certificateVolume" -}}
{{- $trusted := .Values.trustedCertificates -}}
{{- $items := printf "items: [{ key: %s, path: %s }]" $trusted.key $trusted.key -}}
{{- if $trusted.configMap -}}
- { name: certificates, configMap: { name: {{ $trusted.configMap }}, {{ $items }} } }
{{- else if $trusted.secret -}}
- { name: certificates, secret: { secretName: {{ $trusted.secret }}, {{ $items }} } }
{{- end -}}
{{- end -}}

{{/*
Requests and limits, from the sizing in docs/operations/scale.md: (list $ "polling" .Values.workers.polling). Every process holds the configuration
of all bots (4 KB each); a poll over TLS takes 127 KB, of which the limit leaves a fifth free. No CPU limit: it would only slow answers down.
*/}}
{{- define "flotilla.resources" -}}
{{- $root := index . 0 -}}
{{- $component := index . 2 -}}
{{- $directory := divf (mulf $root.Values.bots 4) 1024 | ceil | int -}}
{{- $request := add 256 $directory -}}
{{- $limit := add 768 $directory -}}
{{- if eq (index . 1) "worker-polling" -}}
{{- $request = add 192 $directory (divf (mulf $component.botsPerPod 127) 1024 | ceil | int) -}}
{{- $limit = add 384 $directory (divf (mulf $component.botsPerPod 160) 1024 | ceil | int) -}}
{{- end -}}
{{- $component.resources | default (dict "requests" (dict "cpu" "250m" "memory" (printf "%dMi" $request)) "limits" (dict "memory" (printf "%dMi" $limit))) | toYaml -}}
{{- end -}}
