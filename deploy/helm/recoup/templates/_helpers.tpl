{{- define "recoup.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end }}

{{- define "recoup.selector" -}}
app.kubernetes.io/name: recoup
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "recoup.labels" -}}
{{ include "recoup.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "recoup.scheme" -}}
{{- if .Values.tls.secret }}HTTPS{{ else }}HTTP{{ end -}}
{{- end }}

{{- define "recoup.pod" -}}
metadata:
  labels: {{- include "recoup.labels" . | nindent 4 }}
  annotations:
    checksum/programs: {{ toJson .Values.programs | sha256sum }}
    {{- with .Values.podAnnotations }}{{ toYaml . | nindent 4 }}{{ end }}
spec:
  automountServiceAccountToken: false
  enableServiceLinks: false
  terminationGracePeriodSeconds: 60
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if eq .Values.store "postgres" }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels: {{- include "recoup.selector" . | nindent 10 }}
  {{- end }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 65532
    runAsGroup: 65532
    fsGroup: 65532
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile: {type: RuntimeDefault}
  containers:
    - name: recoup
      image: "{{ .Values.image.repository }}{{ with .Values.image.digest }}@{{ . }}{{ else }}:{{ .Values.image.tag }}{{ end }}"
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: {drop: [ALL]}
      args:
        - serve
        - --listen=0.0.0.0:8080
        - --metrics-listen=0.0.0.0:9090
        - --insecure
        - --secure-cookies
        {{- if eq .Values.store "postgres" }}
        - --db={{ .Values.postgres.url }}
        {{- if .Values.postgres.pooler }}
        - --pg-pooler
        {{- end }}
        {{- else }}
        - --db=/data/ledger
        {{- end }}
        {{- range $name, $_ := .Values.programs }}
        - --program=/etc/recoup/programs/{{ $name }}
        {{- end }}
        {{- if .Values.secretsKey.secret }}
        - --secrets-key=/etc/recoup/secrets/{{ .Values.secretsKey.key }}
        {{- end }}
        {{- if .Values.feed.keys.secret }}
        - --feed-keys=/etc/recoup/feed/{{ .Values.feed.keys.key }}
        {{- range .Values.feed.origins }}
        - --feed-origin={{ . }}
        {{- end }}
        {{- end }}
        {{- if .Values.sources.configMap }}
        - --sources=/etc/recoup/sources/{{ .Values.sources.key }}
        {{- end }}
        {{- if .Values.tls.secret }}
        - --tls-cert=/etc/recoup/tls/tls.crt
        - --tls-key=/etc/recoup/tls/tls.key
        {{- end }}
        {{- with .Values.args }}{{ toYaml . | nindent 8 }}{{ end }}
      env:
        - {name: GOMEMLIMIT, value: {{ .Values.memoryLimit | quote }}}
        {{- if eq .Values.store "postgres" }}
        - name: PGPASSWORD
          valueFrom:
            secretKeyRef: {name: {{ .Values.postgres.password.secret | quote }}, key: {{ .Values.postgres.password.key | quote }}}
        {{- if .Values.postgres.rootCertificate }}
        - {name: PGSSLROOTCERT, value: /etc/recoup/postgres/root.crt}
        {{- end }}
        {{- end }}
        {{- with .Values.env }}{{ toYaml . | nindent 8 }}{{ end }}
      ports:
        - {name: http, containerPort: 8080}
        - {name: metrics, containerPort: 9090}
      # A start may wait for the database and bring its schema up to date.
      startupProbe:
        httpGet: {path: /healthz, port: http, scheme: {{ include "recoup.scheme" . }}}
        periodSeconds: 2
        failureThreshold: 60
      livenessProbe:
        httpGet: {path: /healthz, port: http, scheme: {{ include "recoup.scheme" . }}}
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      readinessProbe:
        httpGet: {path: /readyz, port: http, scheme: {{ include "recoup.scheme" . }}}
        periodSeconds: 5
        timeoutSeconds: 5
      resources: {{- toYaml .Values.resources | nindent 8 }}
      volumeMounts:
        - {name: data, mountPath: /data}
        - {name: programs, mountPath: /etc/recoup/programs, readOnly: true}
        {{- if .Values.secretsKey.secret }}
        - {name: secrets-key, mountPath: /etc/recoup/secrets, readOnly: true}
        {{- end }}
        {{- if .Values.feed.keys.secret }}
        - {name: feed-keys, mountPath: /etc/recoup/feed, readOnly: true}
        {{- end }}
        {{- if .Values.sources.configMap }}
        - {name: sources, mountPath: /etc/recoup/sources, readOnly: true}
        {{- end }}
        {{- if .Values.tls.secret }}
        - {name: tls, mountPath: /etc/recoup/tls, readOnly: true}
        {{- end }}
        {{- if and (eq .Values.store "postgres") .Values.postgres.rootCertificate }}
        - {name: postgres-certificate, mountPath: /etc/recoup/postgres, readOnly: true}
        {{- end }}
  volumes:
    {{- if eq .Values.store "postgres" }}
    # Nothing of it is kept: what a command has to write for a moment.
    - {name: data, emptyDir: {sizeLimit: 1Gi}}
    {{- end }}
    - {name: programs, configMap: {name: {{ include "recoup.name" . }}-programs}}
    {{- if .Values.secretsKey.secret }}
    - {name: secrets-key, secret: {secretName: {{ .Values.secretsKey.secret | quote }}, defaultMode: 0440}}
    {{- end }}
    {{- if .Values.feed.keys.secret }}
    - {name: feed-keys, secret: {secretName: {{ .Values.feed.keys.secret | quote }}, defaultMode: 0440}}
    {{- end }}
    {{- if .Values.sources.configMap }}
    - {name: sources, configMap: {name: {{ .Values.sources.configMap | quote }}}}
    {{- end }}
    {{- if .Values.tls.secret }}
    - {name: tls, secret: {secretName: {{ .Values.tls.secret | quote }}, defaultMode: 0440}}
    {{- end }}
    {{- if and (eq .Values.store "postgres") .Values.postgres.rootCertificate }}
    - {name: postgres-certificate, secret: {secretName: {{ .Values.postgres.rootCertificate | quote }}, defaultMode: 0440}}
    {{- end }}
{{- end }}
