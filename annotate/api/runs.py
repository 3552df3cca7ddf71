from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from django.http import Http404
from django.utils.translation import gettext as _
from pydantic import ValidationError
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotate.api.idempotency import once
from annotate.api.items import ItemFiltersSerializer, filters_of
from annotate.api.schema import KEY, operation, page_of
from annotate.api.views import ONLY_LEADS, Money, Name, PageQuery, ProjectView, Thing, newest_page, read_body
from annotate.engine.purposes import Purpose, purposes
from annotate.kinds.protocol import Cause
from annotate.kinds.shapes import faults
from annotate.models import Endpoint, Project, Run, User
from annotate.runs import actions as engine
from annotate.runs.execution import progress
from annotate.runs.item_selection import stored
from annotate.runs.plan import estimate, plan_run
from annotate.web.error_pages import invalid


class RunEndpoint(serializers.Serializer):
    """Where a run asks."""

    name = serializers.CharField()
    model = serializers.CharField()
    simulated = serializers.BooleanField(help_text="The simulated model: nothing of this is data.")


class RunRowSerializer(serializers.ModelSerializer):
    """One batch of model work. Sums are over everything that was sent."""

    endpoint = RunEndpoint()
    options = Thing()
    parameters = Thing()
    budget = Money(allow_null=True)
    cost = Money()
    by = Name(source="created_by", allow_null=True)

    class Meta:
        model = Run
        fields = ["id", "purpose", "state", "endpoint", "options", "budget", "shares_replies", "parameters"]
        fields += ["calls", "tokens_in"]
        fields += ["tokens_out", "cost", "by", "created_at", "started_at", "ended_at"]


class RunForm(serializers.Serializer):
    """What a run is to do."""

    purpose = serializers.CharField(max_length=40, help_text="Such as `preannotate`.")
    endpoint = serializers.CharField(max_length=60, help_text="The name of a model endpoint of this installation.")
    options = serializers.DictField(default=dict, help_text="What the purpose asks for, by name.")
    items = ItemFiltersSerializer(required=False, help_text="Only items that pass these filters.")
    limit = serializers.IntegerField(
        required=False, allow_null=True, min_value=1, max_value=10_000_000, help_text="At most so many jobs."
    )
    budget = serializers.DecimalField(
        max_digits=12, decimal_places=4, min_value=0, required=False, allow_null=True, help_text="USD, a hard limit."
    )
    shares_replies = serializers.BooleanField(default=False, help_text="Equal questions are asked once.")
    parameters = serializers.DictField(
        default=dict,
        help_text=(
            "Of every question: temperature, top_p, seed, reasoning_effort, max_tokens, extra_body. "
            "What is missing is left to the endpoint, and then to each step."
        ),
    )


class RunEstimateSerializer(serializers.Serializer):
    """What the run would take; `cost` is null where the endpoint has no prices."""

    jobs = serializers.IntegerField()
    calls = serializers.IntegerField()
    tokens_in = serializers.IntegerField()
    tokens_out = serializers.IntegerField()
    cost = Money(allow_null=True)
    note = serializers.CharField(help_text="What the numbers rest on.", allow_blank=True)


class RunProgressSerializer(serializers.Serializer):
    """How far a run is. `causes` add up to `failed`."""

    state = serializers.ChoiceField(choices=Run.State.choices)
    jobs = serializers.IntegerField()
    pending = serializers.IntegerField()
    leased = serializers.IntegerField()
    done = serializers.IntegerField()
    failed = serializers.IntegerField()
    cancelled = serializers.IntegerField()
    causes = serializers.DictField(
        child=serializers.IntegerField(), help_text=f"Failed jobs by cause: {', '.join(Cause.values)}."
    )
    calls = serializers.IntegerField()
    tokens_in = serializers.IntegerField()
    tokens_out = serializers.IntegerField()
    cost = Money()
    calls_a_minute = serializers.FloatField()
    seconds_left = serializers.IntegerField(allow_null=True, help_text="Null where nothing can be said.")


class RunRetried(serializers.Serializer):
    """The run, and how many failed jobs were taken up again."""

    taken_up = serializers.IntegerField()
    run = RunRowSerializer()


class RunList(ProjectView):
    roles = ONLY_LEADS

    @operation(
        "runs_list", "Runs, newest first", page_of("Run", RunRowSerializer), errors=(422,), parameters=[PageQuery]
    )
    def get(self, request: Request, slug: str) -> Response:
        runs = Run.objects.filter(project=self.project).select_related("endpoint", "created_by")
        return newest_page(request, runs, RunRowSerializer)

    @operation(
        "runs_plan",
        "Plan a run",
        RunRowSerializer,
        status=201,
        errors=(409, 413, 415, 422),
        request=RunForm,
        parameters=[KEY],
        description="Its jobs are written down; nothing is sent before it is started.",
    )
    def post(self, request: Request, slug: str) -> Response:
        body = read_body(RunForm(data=request.data))
        return once(request, lambda: self._plan(body))

    def _plan(self, body: dict[str, Any]) -> Response:
        purpose, limit = _purpose(body["purpose"]), body.get("limit")
        items = stored(filters_of(body.get("items") or {}))
        options = _options(purpose, body["options"]) | ({"limit": limit} if limit else {}) | {"items": items}
        planned = plan_run(
            project=self.project,
            purpose=purpose.slug,
            endpoint=_endpoint(body["endpoint"]),
            by=self.member.user,
            options=options,
            budget=body.get("budget"),
            limit=limit,
            shares_replies=body["shares_replies"],
            parameters=body["parameters"],
        )
        return Response(RunRowSerializer(planned).data, 201)


def _purpose(slug: str) -> Purpose:
    purposes_by_slug = {name: purpose for name, purpose in purposes().items() if purpose.offered}
    if slug not in purposes_by_slug:
        message = _("Unknown purpose. Purposes: %(known)s.") % {"known": ", ".join(sorted(purposes_by_slug))}
        raise invalid(message, "purpose")
    return purposes_by_slug[slug]


def _endpoint(name: str) -> Endpoint:
    usable = {endpoint.name: endpoint for endpoint in Endpoint.objects.filter(retired_at=None)}
    if name not in usable:
        message = _("Unknown endpoint. Endpoints: %(known)s.") % {"known": ", ".join(sorted(usable)) or "–"}
        raise invalid(message, "endpoint")
    return usable[name]


def _options(purpose: Purpose, option_values: dict[str, Any]) -> dict[str, Any]:
    unknown = sorted(set(option_values) - set(purpose.options.model_fields))
    if unknown:
        message = _("This purpose does not have that option. Options: %(known)s.")
        raise invalid(message % {"known": ", ".join(purpose.options.model_fields) or "–"}, f"options.{unknown[0]}")
    try:
        return purpose.options.model_validate(option_values).model_dump(mode="json", exclude_unset=True)
    except ValidationError as error:
        option_faults = list(faults(error))
        message = " ".join(f"{fault.path}: {fault.message}" for fault in option_faults)
        raise invalid(message, ", ".join(f"options.{fault.path}" for fault in option_faults)) from error


class RunView(ProjectView):
    roles = ONLY_LEADS


class RunRead(RunView):
    @operation("runs_read", "One run", RunRowSerializer)
    def get(self, request: Request, slug: str, pk: int) -> Response:
        return Response(RunRowSerializer(_run(self.project, pk)).data)


class RunGuess(RunView):
    @operation("runs_estimate", "What a run would take", RunEstimateSerializer)
    def get(self, request: Request, slug: str, pk: int) -> Response:
        return Response(RunEstimateSerializer(estimate(_run(self.project, pk))).data)


class RunHowFar(RunView):
    @operation("runs_progress", "How far a run is", RunProgressSerializer)
    def get(self, request: Request, slug: str, pk: int) -> Response:
        run = _run(self.project, pk)
        return Response(RunProgressSerializer(asdict(progress(run)) | {"state": run.state}).data)


def _acting(name: str, summary: str, act: Callable[[Run, User], object]) -> type[RunView]:
    """A view that does one thing to a run and answers with the run."""

    class Acting(RunView):
        @operation(name, summary, RunRowSerializer, errors=(409,), request=None)
        def post(self, request: Request, slug: str, pk: int) -> Response:
            run = _run(self.project, pk)
            act(run, self.member.user)
            return Response(RunRowSerializer(run).data)

    return Acting


RunStart = _acting("runs_start", "Start a planned run", engine.start)
RunPause = _acting("runs_pause", "Send nothing more; what is in flight ends and is kept", engine.pause)
RunResume = _acting("runs_resume", "Go on with a paused run", engine.resume)
RunCancel = _acting("runs_cancel", "End a run for good; what is done stays", engine.cancel)


class RunRetry(RunView):
    @operation("runs_retry", "Take the failed jobs up again", RunRetried, errors=(409,), request=None)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        run = _run(self.project, pk)
        count = engine.retry_failed(run, self.member.user)
        return Response(RunRetried({"taken_up": count, "run": run}).data)


def _run(project: Project, pk: int) -> Run:
    run = Run.objects.filter(project=project, pk=pk).select_related("endpoint", "created_by").first()
    if run is None:
        raise Http404
    run.project = project
    return run
