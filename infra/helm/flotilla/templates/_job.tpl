{{/*
The pods of a job: (dict "root" $ "component" "backup" "image" "maintenance" "args" (list …) "resources" … "claim" "<name>")
*/}}
{{- define "flotilla.jobPods" -}}
{{- $root := .root -}}
{{- $pods := include "flotilla.podsOf" (list $root dict) | fromJson -}}
{{- $mounts := include "flotilla.volumeMounts" (list $root $pods) | trim -}}
{{- $volumes := include "flotilla.volumes" (list $root $pods) | trim -}}
metadata:
  labels:
    {{- include "flotilla.podLabels" (list $root .component) | nindent 4 }}
    {{- with $pods.labels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with $pods.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  restartPolicy: Never
  {{- include "flotilla.podSpec" (list $root $pods) | nindent 2 }}
    {{- if .claim }}
    # The volume belongs to the group of the process, which writes to it.
    fsGroup: 65532
    fsGroupChangePolicy: OnRootMismatch
    {{- end }}
  containers:
    - name: {{ .component }}
      image: {{ include "flotilla.image" (list $root .image) }}
      imagePullPolicy: {{ $root.Values.image.pullPolicy }}
      {{- with .args }}
      args: {{ toJson . }}
      {{- end }}
      env:
        {{- include "flotilla.environment" (list $root .component) | trim | nindent 8 }}
        {{- with .env }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      resources:
        {{- toYaml .resources | nindent 8 }}
      {{- include "flotilla.containerSecurity" $root | nindent 6 }}
      {{- if or .claim $mounts }}
      volumeMounts:
        {{- with $mounts }}
        {{- . | nindent 8 }}
        {{- end }}
        {{- if .claim }}
        - { name: backups, mountPath: /backups }
        {{- end }}
      {{- end }}
  {{- if or .claim $volumes }}
  volumes:
    {{- with $volumes }}
    {{- . | nindent 4 }}
    {{- end }}
    {{- with .claim }}
    - { name: backups, persistentVolumeClaim: { claimName: {{ . }} } }
    {{- end }}
  {{- end }}
{{- end -}}
