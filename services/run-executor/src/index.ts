export { createRunExecutor, type RunExecutorDependencies } from './create-run-executor';
export { RUN_EXECUTOR_VARIABLES, runExecutorSettings } from './run-executor-variables';
