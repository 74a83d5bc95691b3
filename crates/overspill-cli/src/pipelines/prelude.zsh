[[ -o ksharrays || -o xtrace || -o verbose || -o nounset || -o shwordsplit || -o errreturn || -o privileged || -o allexport || ! -o debugbeforecmd ]] && return 0
typeset -g __ovs_n=0 __ovs_q=0 __ovs_c=
__ovs_f() { local -a codes=($pipestatus); (( __ovs_q++ < @REPORTS@ )) && { { builtin print -rN -- E $__ovs_n $1 $#codes $codes "${__ovs_c:- }" ""; builtin typeset +f -- ${(Q)${(z)__ovs_c}} || [[ x ]]; builtin print -rN -- ""; } >>! @PIPE@; } 2>/dev/null; return 0; }
__ovs_o() { __ovs_q=@REPORTS@; builtin trap - DEBUG; }
functions -M __ovs_r 1 1 __ovs_f
functions -M __ovs_e 0 0 __ovs_o
__ovs_t='case ${#pipestatus},$ZSH_SUBSHELL,$ZSH_EVAL_CONTEXT,${(j:,:)pipestatus} in (1,*|*shfunc*|*file*);; (*,0,*,*[1-9]*) (( __ovs_r($?), 1 ));; esac'
@EXIT@
trap "$__ovs_t"'
case $ZSH_EVAL_CONTEXT in (*shfunc*|*file*);; (*) [[ -n ${__ovs_c::=${ZSH_DEBUG_CMD[1,3000]}} ]];; esac
case $((++__ovs_n)) in (@EVENTS@) (( __ovs_e(), 1 ));; esac' DEBUG
