//! The run's frame and its steps.

use super::event;
use super::interrupt::Outcome;
use super::{Any, Safe, Written, object};

event! {
    /// A run begins. The first event, unless the run is refused by a RUN_ERROR.
    RunStarted<'a> = "RUN_STARTED"
    required {
        /// The request's thread.
        thread_id: &'a str = "threadId",
        /// The request's run.
        run_id: &'a str = "runId",
    }
    optional {
        /// `MAJOR.MINOR`. A client before 1.0 does not know the field.
        protocol_version: &'a str = "protocolVersion",
        /// The run that this one branches from.
        parent_run_id: &'a str = "parentRunId",
        /// What was asked, from a [`super::RunAgentInput`]. May leave out messages that are in the history already.
        input: Written<'a> = "input",
    }
}

event! {
    /// A run is done: everything that was open has been closed, and nothing follows.
    RunFinished<'a> = "RUN_FINISHED"
    required {
        /// The request's thread.
        thread_id: &'a str = "threadId",
        /// The request's run.
        run_id: &'a str = "runId",
    }
    optional {
        /// How. Absent means success.
        outcome: Outcome<'a> = "outcome",
        /// What it cost, one entry a model.
        usage: Vec<TokenUsage<'a>> = "usage",
        /// What it came to, for the application.
        result: Any<'a> = "result",
    }
}

event! {
    /// A run failed. Nothing follows.
    RunError<'a> = "RUN_ERROR"
    required {
        /// A sentence for the person.
        message: &'a str = "message",
    }
    optional {
        /// Stable.
        code: &'a str = "code",
        /// What it cost, one entry a model.
        usage: Vec<TokenUsage<'a>> = "usage",
    }
}

event! {
    /// A step begins. Steps may overlap; a name is open once.
    StepStarted<'a> = "STEP_STARTED"
    required {
        /// The step's name.
        step_name: &'a str = "stepName",
    }
    optional {
        /// The subagent that it belongs to.
        subagent_run_id: &'a str = "subagentRunId",
    }
}

event! {
    /// A step ends, before RUN_FINISHED.
    StepFinished<'a> = "STEP_FINISHED"
    required {
        /// The step's name.
        step_name: &'a str = "stepName",
    }
    optional {
        /// The subagent that it belongs to.
        subagent_run_id: &'a str = "subagentRunId",
    }
}

object! {
    /// Tokens of one model. The last three counts are parts of the others, not additions to them.
    TokenUsage<'a> {}
    required {}
    constant {}
    optional {
        /// The provider's name.
        provider: &'a str = "provider",
        /// The model's name.
        model: &'a str = "model",
        /// Tokens that the model was given.
        input_tokens: Safe = "inputTokens",
        /// Tokens that it made.
        output_tokens: Safe = "outputTokens",
        /// Both.
        total_tokens: Safe = "totalTokens",
        /// Of the output: tokens of reasoning.
        reasoning_tokens: Safe = "reasoningTokens",
        /// Of the input: tokens read from a cache.
        cached_input_tokens: Safe = "cachedInputTokens",
        /// Of the input: tokens written to a cache.
        cache_write_input_tokens: Safe = "cacheWriteInputTokens",
    }
}
