{{/* The name of everything. */}}
{{- define "burgee.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* By what servers are found; never changes. */}}
{{- define "burgee.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "burgee.labels" -}}
{{ include "burgee.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{/* Whether there may be more than one. */}}
{{- define "burgee.several" -}}
{{- if ne .Values.mode "embedded" -}}yes{{- end -}}
{{- end -}}

{{/* What keeps what is worth keeping on a volume of its own. */}}
{{- define "burgee.workload" -}}
{{- if eq .Values.mode "postgres" -}}Deployment{{- else -}}StatefulSet{{- end -}}
{{- end -}}

{{/* Where a relay's key is. */}}
{{- define "burgee.relaySecret" -}}
{{- if .Values.relay.existingSecret -}}
{{- .Values.relay.existingSecret -}}
{{- else if .Values.relay.relayKey -}}
{{- include "burgee.name" . -}}
{{- else -}}
{{- fail "mode relay needs relay.existingSecret or relay.relayKey" -}}
{{- end -}}
{{- end -}}

{{/* Where the database's address is. */}}
{{- define "burgee.databaseSecret" -}}
{{- if .Values.database.existingSecret -}}
{{- .Values.database.existingSecret -}}
{{- else if .Values.database.url -}}
{{- include "burgee.name" . -}}
{{- else -}}
{{- fail "mode postgres needs database.existingSecret or database.url" -}}
{{- end -}}
{{- end -}}

{{/* Where the instance key is; empty where it is on the volume. */}}
{{- define "burgee.instanceKeySecret" -}}
{{- if .Values.instanceKey.existingSecret -}}
{{- .Values.instanceKey.existingSecret -}}
{{- else if .Values.instanceKey.value -}}
{{- include "burgee.name" . -}}
{{- else if eq .Values.mode "postgres" -}}
{{- fail "mode postgres needs instanceKey.existingSecret or instanceKey.value (openssl rand -base64 32)" -}}
{{- end -}}
{{- end -}}

{{/* What Deployment and StatefulSet have in common. */}}
{{- define "burgee.pod" -}}
{{- $relay := eq .Values.mode "relay" -}}
{{- $key := "" -}}
{{- if not $relay -}}{{- $key = include "burgee.instanceKeySecret" . -}}{{- end -}}
{{- if gt (add .Values.drain.preStopSeconds .Values.drain.seconds 15) (int64 .Values.drain.terminationGracePeriodSeconds) -}}
{{- fail "drain.terminationGracePeriodSeconds must have room for preStopSeconds, seconds and 15 more" -}}
{{- end -}}
metadata:
  labels:
    {{- include "burgee.selector" . | nindent 4 }}
    {{- with .Values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    {{- /* Secrets are read at the start. */}}
    checksum/secret: {{ printf "%s %s %s" .Values.database.url .Values.instanceKey.value .Values.relay.relayKey | sha256sum }}
    {{- with .Values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ include "burgee.name" . }}
  automountServiceAccountToken: false
  {{- /* Variables of Kubernetes for a service "burgee" begin with BURGEE_, too. */}}
  enableServiceLinks: false
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  terminationGracePeriodSeconds: {{ .Values.drain.terminationGracePeriodSeconds }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 65532
    runAsGroup: 65532
    fsGroup: 65532
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile:
      type: RuntimeDefault
  containers:
    - name: burgee
      image: {{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) | quote }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      args: [{{ if $relay }}relay{{ else }}server{{ end }}]
      env:
        - name: BURGEE_LISTEN
          value: 0.0.0.0:5100
        - name: BURGEE_METRICS_LISTEN
          value: 0.0.0.0:5101
        - name: BURGEE_LOG_FORMAT
          value: json
        - name: BURGEE_DRAIN
          value: {{ .Values.drain.seconds | quote }}
        {{- if $relay }}
        - name: BURGEE_UPSTREAM
          value: {{ required "mode relay needs relay.upstream" .Values.relay.upstream | quote }}
        - name: BURGEE_RELAY_KEY
          valueFrom:
            secretKeyRef:
              name: {{ include "burgee.relaySecret" . }}
              key: {{ if .Values.relay.existingSecret }}{{ .Values.relay.key }}{{ else }}relayKey{{ end }}
        {{- end }}
        {{- if eq .Values.mode "postgres" }}
        - name: BURGEE_DATABASE
          valueFrom:
            secretKeyRef:
              name: {{ include "burgee.databaseSecret" . }}
              key: {{ if .Values.database.existingSecret }}{{ .Values.database.key }}{{ else }}url{{ end }}
        {{- else }}
        - name: BURGEE_DATA_DIR
          value: /data
        {{- end }}
        {{- if $key }}
        - name: BURGEE_INSTANCE_KEY_FILE
          value: /etc/burgee/instance.key
        {{- end }}
        {{- if .Values.tls.existingSecret }}
        - name: BURGEE_TLS_CERT
          value: /etc/burgee-tls/tls.crt
        - name: BURGEE_TLS_KEY
          value: /etc/burgee-tls/tls.key
        {{- end }}
        {{- if not $relay }}
        {{- with .Values.publicUrl }}
        - name: BURGEE_PUBLIC_URL
          value: {{ . | quote }}
        {{- end }}
        {{- with .Values.trustedProxies }}
        - name: BURGEE_TRUSTED_PROXIES
          value: {{ join "," . | quote }}
        {{- end }}
        {{- with .Values.mail.existingSecret }}
        - name: BURGEE_SMTP_URL
          valueFrom:
            secretKeyRef:
              name: {{ . }}
              key: {{ $.Values.mail.key }}
        - name: BURGEE_MAIL_FROM
          value: {{ required "mail.from: who mails are from" $.Values.mail.from | quote }}
        {{- end }}
        {{- end }}
        {{- range $name, $value := .Values.env }}
        - name: {{ $name }}
          value: {{ $value | toString | quote }}
        {{- end }}
      ports:
        - name: http
          containerPort: 5100
        - name: metrics
          containerPort: 5101
      {{- /* Beside the metrics: at the port for SDKs who asks may be refused when more of them come than
             can be answered, and Kubernetes would then end a server that serves those it has. Until the
             database is open, its schema up to date, and every environment loaded, nobody answers. */}}
      startupProbe:
        httpGet:
          path: /health/liveness
          port: metrics
        periodSeconds: 2
        failureThreshold: 150
      livenessProbe:
        httpGet:
          path: /health/liveness
          port: metrics
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 3
      readinessProbe:
        httpGet:
          path: /health/readiness
          port: metrics
        periodSeconds: 5
        timeoutSeconds: 5
        failureThreshold: 2
      {{- if .Values.drain.preStopSeconds }}
      lifecycle:
        preStop:
          sleep:
            seconds: {{ .Values.drain.preStopSeconds }}
      {{- end }}
      {{- with .Values.resources }}
      resources:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities:
          drop: [ALL]
      volumeMounts:
        {{- /* Where SQLite sorts what is too large for memory. */}}
        - name: tmp
          mountPath: /tmp
        {{- if eq (include "burgee.workload" .) "StatefulSet" }}
        - name: data
          mountPath: /data
        {{- end }}
        {{- if $key }}
        - name: instance-key
          mountPath: /etc/burgee
          readOnly: true
        {{- end }}
        {{- if .Values.tls.existingSecret }}
        - name: tls
          mountPath: /etc/burgee-tls
          readOnly: true
        {{- end }}
  volumes:
    - name: tmp
      emptyDir: {}
    {{- if $key }}
    - name: instance-key
      secret:
        secretName: {{ $key }}
        defaultMode: 0440
        items:
          - key: {{ if .Values.instanceKey.existingSecret }}{{ .Values.instanceKey.key }}{{ else }}instance.key{{ end }}
            path: instance.key
    {{- end }}
    {{- with .Values.tls.existingSecret }}
    - name: tls
      secret:
        secretName: {{ . }}
        defaultMode: 0440
    {{- end }}
  {{- if include "burgee.several" . }}
  {{- /* A node that is lost takes one of them with it where others can be had. */}}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "burgee.selector" . | nindent 10 }}
  {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
