package cicontext

// System is one CI system and what its variables say.
type System struct {
	Name   string
	Detect string // the variable that is set in each of its jobs, and nowhere else
	Rows   []Row
}

// Row makes one attribute. The first of its templates of which all variables have a value gives it.
//
// In templates ${NAME} is the value of a variable and ${NAME:+word} is word if the variable has a value. The form
// says what is made of the result.
type Row struct {
	Key       string
	Templates []string
	Form      Form
}

// Form is what is done to a value. A value it does not fit gives no attribute.
type Form string

const (
	Plain    Form = ""
	URL      Form = "URL without user"                 // query and fragment of variables are taken off, too
	Repo     Form = "address of a repository"          // URL or user@host:path → https URL without user and ".git"
	Provider Form = "provider by host"                 // of such an address
	Owner    Form = "path without last part"           // of such an address, or a path
	Last     Form = "last part of the path"            // likewise
	Ref      Form = "without refs/heads/ and the like" // branch and tag names
	RefType  Form = "branch or tag"                    // such a word, or a whole reference
	Number   Form = "number of a pull request"         // such a number, or one in its reference or address
	TaskType Form = "if build, test or deploy"         // the values of the conventions
)

// Systems lists the CI systems that are known, the first that is detected is the one.
//
// Titles of changes, commit messages and names of people are left out on purpose.
func Systems() []System { return systems }

var systems = []System{
	{Name: "GitHub Actions", Detect: "GITHUB_ACTIONS", Rows: []Row{
		{Key: pipelineName, Templates: []string{"${GITHUB_WORKFLOW}"}},
		{Key: runID, Templates: []string{"${GITHUB_RUN_ID}"}},
		{Key: runURL, Form: URL, Templates: []string{"${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}/attempts/${GITHUB_RUN_ATTEMPT}"}},
		{Key: taskName, Templates: []string{"${GITHUB_JOB}"}},
		{Key: workerName, Templates: []string{"${RUNNER_NAME}"}},
		{Key: provider, Templates: []string{"${GITEA_ACTIONS:+gitea}", "github"}},
		{Key: owner, Templates: []string{"${GITHUB_REPOSITORY_OWNER}"}},
		{Key: repoName, Form: Last, Templates: []string{"${GITHUB_REPOSITORY}"}},
		{Key: repoURL, Form: Repo, Templates: []string{"${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}"}},
		{Key: headName, Templates: []string{"${GITHUB_HEAD_REF}", "${GITHUB_REF_NAME}"}},
		{Key: headType, Form: RefType, Templates: []string{"${GITHUB_REF_TYPE}"}},
		{Key: headRevision, Templates: []string{"${GITHUB_SHA}"}},
		{Key: baseName, Templates: []string{"${GITHUB_BASE_REF}"}},
		{Key: changeID, Form: Number, Templates: []string{"${GITHUB_REF}"}},
	}},
	{Name: "GitLab CI", Detect: "GITLAB_CI", Rows: []Row{
		{Key: pipelineName, Templates: []string{"${CI_PIPELINE_NAME}", "${CI_PROJECT_PATH}"}},
		{Key: runID, Templates: []string{"${CI_PIPELINE_ID}"}},
		{Key: runURL, Form: URL, Templates: []string{"${CI_PIPELINE_URL}"}},
		{Key: taskName, Templates: []string{"${CI_JOB_NAME}"}},
		{Key: taskID, Templates: []string{"${CI_JOB_ID}"}},
		{Key: taskURL, Form: URL, Templates: []string{"${CI_JOB_URL}"}},
		{Key: taskType, Form: TaskType, Templates: []string{"${CI_JOB_STAGE}"}},
		{Key: workerID, Templates: []string{"${CI_RUNNER_ID}"}},
		{Key: workerName, Templates: []string{"${CI_RUNNER_DESCRIPTION}"}},
		{Key: provider, Templates: []string{"gitlab"}},
		{Key: owner, Templates: []string{"${CI_PROJECT_NAMESPACE}"}},
		{Key: repoName, Templates: []string{"${CI_PROJECT_NAME}"}},
		{Key: repoURL, Form: Repo, Templates: []string{"${CI_PROJECT_URL}"}},
		{Key: headName, Templates: []string{"${CI_MERGE_REQUEST_SOURCE_BRANCH_NAME}", "${CI_COMMIT_REF_NAME}"}},
		{Key: headType, Templates: []string{"${CI_COMMIT_TAG:+tag}", "${CI_COMMIT_REF_NAME:+branch}"}},
		{Key: headRevision, Templates: []string{"${CI_COMMIT_SHA}"}},
		{Key: baseName, Templates: []string{"${CI_MERGE_REQUEST_TARGET_BRANCH_NAME}"}},
		{Key: baseRevision, Templates: []string{"${CI_MERGE_REQUEST_DIFF_BASE_SHA}"}},
		{Key: changeID, Templates: []string{"${CI_MERGE_REQUEST_IID}"}},
	}},
	{Name: "CNB", Detect: "CNB", Rows: []Row{
		{Key: pipelineName, Templates: []string{"${CNB_PIPELINE_NAME}", "${CNB_PIPELINE_KEY}"}},
		{Key: runID, Templates: []string{"${CNB_PIPELINE_ID}", "${CNB_BUILD_ID}"}},
		{Key: runURL, Form: URL, Templates: []string{"${CNB_BUILD_WEB_URL}"}},
		{Key: taskName, Templates: []string{"${CNB_BUILD_STAGE_NAME}/${CNB_BUILD_JOB_NAME}", "${CNB_BUILD_STAGE_NAME}", "${CNB_BUILD_JOB_NAME}"}},
		{Key: workerID, Templates: []string{"${CNB_RUNNER_IP}"}},
		{Key: provider, Templates: []string{"cnb"}},
		{Key: owner, Templates: []string{"${CNB_GROUP_SLUG}"}},
		{Key: repoName, Templates: []string{"${CNB_REPO_NAME}"}},
		{Key: repoURL, Form: Repo, Templates: []string{"${CNB_REPO_URL_HTTPS}"}},
		{Key: headName, Templates: []string{"${CNB_PULL_REQUEST_BRANCH}", "${CNB_BRANCH}"}},
		{Key: headType, Form: RefType, Templates: []string{"${CNB_IS_TAG}", "${CNB_BRANCH:+branch}"}},
		{Key: headRevision, Templates: []string{"${CNB_PULL_REQUEST_SHA}", "${CNB_COMMIT}"}},
		{Key: baseName, Templates: []string{"${CNB_PULL_REQUEST_BRANCH:+}${CNB_BRANCH}"}},
		{Key: baseRevision, Templates: []string{"${CNB_PULL_REQUEST_TARGET_SHA}"}},
		{Key: changeID, Templates: []string{"${CNB_PULL_REQUEST_IID}"}},
	}},
	{Name: "Buildkite", Detect: "BUILDKITE", Rows: []Row{
		{Key: pipelineName, Templates: []string{"${BUILDKITE_PIPELINE_NAME}", "${BUILDKITE_PIPELINE_SLUG}"}},
		{Key: runID, Templates: []string{"${BUILDKITE_BUILD_ID}"}},
		{Key: runURL, Form: URL, Templates: []string{"${BUILDKITE_BUILD_URL}"}},
		{Key: taskName, Templates: []string{"${BUILDKITE_LABEL}", "${BUILDKITE_STEP_KEY}"}},
		{Key: taskID, Templates: []string{"${BUILDKITE_JOB_ID}"}},
		{Key: taskURL, Form: URL, Templates: []string{"${BUILDKITE_BUILD_URL}#${BUILDKITE_JOB_ID}"}},
		{Key: workerID, Templates: []string{"${BUILDKITE_AGENT_ID}"}},
		{Key: workerName, Templates: []string{"${BUILDKITE_AGENT_NAME}"}},
		{Key: provider, Form: Provider, Templates: []string{"${BUILDKITE_REPO}"}},
		{Key: owner, Form: Owner, Templates: []string{"${BUILDKITE_REPO}"}},
		{Key: repoName, Form: Last, Templates: []string{"${BUILDKITE_REPO}"}},
		{Key: repoURL, Form: Repo, Templates: []string{"${BUILDKITE_REPO}"}},
		{Key: headName, Templates: []string{"${BUILDKITE_TAG}", "${BUILDKITE_BRANCH}"}},
		{Key: headType, Templates: []string{"${BUILDKITE_TAG:+tag}", "${BUILDKITE_BRANCH:+branch}"}},
		{Key: headRevision, Templates: []string{"${BUILDKITE_COMMIT}"}},
		{Key: baseName, Templates: []string{"${BUILDKITE_PULL_REQUEST_BASE_BRANCH}"}},
		{Key: changeID, Form: Number, Templates: []string{"${BUILDKITE_PULL_REQUEST}"}},
	}},
	{Name: "CircleCI", Detect: "CIRCLECI", Rows: []Row{
		{Key: pipelineName, Templates: []string{"${CIRCLE_PROJECT_REPONAME}"}},
		{Key: runID, Templates: []string{"${CIRCLE_PIPELINE_ID}", "${CIRCLE_WORKFLOW_ID}"}},
		{Key: runURL, Form: URL, Templates: []string{"https://app.circleci.com/pipelines/workflows/${CIRCLE_WORKFLOW_ID}"}},
		{Key: taskName, Templates: []string{"${CIRCLE_JOB}"}},
		{Key: taskID, Templates: []string{"${CIRCLE_WORKFLOW_JOB_ID}", "${CIRCLE_BUILD_NUM}"}},
		{Key: taskURL, Form: URL, Templates: []string{"${CIRCLE_BUILD_URL}"}},
		{Key: provider, Form: Provider, Templates: []string{"${CIRCLE_REPOSITORY_URL}"}},
		{Key: owner, Form: Owner, Templates: []string{"${CIRCLE_REPOSITORY_URL}", "${CIRCLE_PROJECT_USERNAME}/${CIRCLE_PROJECT_REPONAME}"}},
		{Key: repoName, Form: Last, Templates: []string{"${CIRCLE_REPOSITORY_URL}", "${CIRCLE_PROJECT_REPONAME}"}},
		{Key: repoURL, Form: Repo, Templates: []string{"${CIRCLE_REPOSITORY_URL}"}},
		{Key: headName, Templates: []string{"${CIRCLE_TAG}", "${CIRCLE_BRANCH}"}},
		{Key: headType, Templates: []string{"${CIRCLE_TAG:+tag}", "${CIRCLE_BRANCH:+branch}"}},
		{Key: headRevision, Templates: []string{"${CIRCLE_SHA1}"}},
		{Key: changeID, Form: Number, Templates: []string{"${CIRCLE_PR_NUMBER}", "${CIRCLE_PULL_REQUEST}"}},
	}},
	{Name: "Azure Pipelines", Detect: "TF_BUILD", Rows: []Row{
		{Key: pipelineName, Templates: []string{"${BUILD_DEFINITIONNAME}"}},
		{Key: runID, Templates: []string{"${BUILD_BUILDID}"}},
		{Key: runURL, Form: URL, Templates: []string{"${SYSTEM_COLLECTIONURI}${SYSTEM_TEAMPROJECTID}/_build/results?buildId=${BUILD_BUILDID}"}},
		{Key: taskName, Templates: []string{"${SYSTEM_JOBDISPLAYNAME}", "${SYSTEM_JOBNAME}"}},
		{Key: taskID, Templates: []string{"${SYSTEM_JOBID}"}},
		{Key: workerID, Templates: []string{"${AGENT_ID}"}},
		{Key: workerName, Templates: []string{"${AGENT_NAME}"}},
		{Key: provider, Form: Provider, Templates: []string{"${BUILD_REPOSITORY_URI}"}},
		{Key: repoName, Form: Last, Templates: []string{"${BUILD_REPOSITORY_NAME}"}},
		{Key: repoURL, Form: Repo, Templates: []string{"${BUILD_REPOSITORY_URI}"}},
		{Key: headName, Form: Ref, Templates: []string{"${SYSTEM_PULLREQUEST_SOURCEBRANCH}", "${BUILD_SOURCEBRANCH}"}},
		{Key: headType, Form: RefType, Templates: []string{"${SYSTEM_PULLREQUEST_SOURCEBRANCH:+branch}", "${BUILD_SOURCEBRANCH}"}},
		{Key: headRevision, Templates: []string{"${SYSTEM_PULLREQUEST_SOURCECOMMITID}", "${BUILD_SOURCEVERSION}"}},
		{Key: baseName, Form: Ref, Templates: []string{"${SYSTEM_PULLREQUEST_TARGETBRANCH}"}},
		{Key: changeID, Templates: []string{"${SYSTEM_PULLREQUEST_PULLREQUESTNUMBER}", "${SYSTEM_PULLREQUEST_PULLREQUESTID}"}},
	}},
	// Last: a Jenkins agent may have started on another system's worker, not the other way round.
	{Name: "Jenkins", Detect: "JENKINS_URL", Rows: []Row{
		{Key: pipelineName, Templates: []string{"${JOB_NAME}"}},
		{Key: runID, Templates: []string{"${BUILD_TAG}", "${BUILD_NUMBER}"}},
		{Key: runURL, Form: URL, Templates: []string{"${BUILD_URL}"}},
		{Key: taskName, Templates: []string{"${STAGE_NAME}"}},
		{Key: workerName, Templates: []string{"${NODE_NAME}"}},
		{Key: provider, Form: Provider, Templates: []string{"${GIT_URL}"}},
		{Key: owner, Form: Owner, Templates: []string{"${GIT_URL}"}},
		{Key: repoName, Form: Last, Templates: []string{"${GIT_URL}"}},
		{Key: repoURL, Form: Repo, Templates: []string{"${GIT_URL}"}},
		{Key: headName, Form: Ref, Templates: []string{"${CHANGE_BRANCH}", "${TAG_NAME}", "${BRANCH_NAME}", "${GIT_LOCAL_BRANCH}", "${GIT_BRANCH}"}},
		{Key: headType, Templates: []string{"${TAG_NAME:+tag}", "${BRANCH_NAME:+branch}", "${GIT_BRANCH:+branch}"}},
		{Key: headRevision, Templates: []string{"${GIT_COMMIT}"}},
		{Key: baseName, Templates: []string{"${CHANGE_TARGET}"}},
		{Key: changeID, Templates: []string{"${CHANGE_ID}"}},
	}},
}

// Keys of the semantic conventions for CI/CD and VCS, v1.43.
const (
	pipelineName = "cicd.pipeline.name"
	runID        = "cicd.pipeline.run.id"
	runURL       = "cicd.pipeline.run.url.full"
	taskName     = "cicd.pipeline.task.name"
	taskID       = "cicd.pipeline.task.run.id"
	taskURL      = "cicd.pipeline.task.run.url.full"
	taskType     = "cicd.pipeline.task.type"
	workerID     = "cicd.worker.id"
	workerName   = "cicd.worker.name"

	provider     = "vcs.provider.name"
	owner        = "vcs.owner.name"
	repoName     = "vcs.repository.name"
	repoURL      = "vcs.repository.url.full"
	headName     = "vcs.ref.head.name"
	headType     = "vcs.ref.head.type"
	headRevision = "vcs.ref.head.revision"
	baseName     = "vcs.ref.base.name"
	baseRevision = "vcs.ref.base.revision"
	changeID     = "vcs.change.id"
)
